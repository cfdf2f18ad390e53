const PROTOCOLS: ReadonlySet<string> = new Set(['https:', 'http:', 'ssh:', 'git:', 'file:']);

/** Why a repository is refused. `undefined`: it may be asked. */
export function repoProblem(repo: string): string | undefined {
  const shown = JSON.stringify(withoutUser(repo));
  if (repo.startsWith('-') || hasControl(repo)) return `the repository ${shown} begins with "-" or holds a control character.`;
  if (/^[^/]*::/.test(repo)) return `the repository ${shown} names a transport of its own; a URL, git@host:path or a path is taken.`;
  if (/^[A-Za-z][\w+.-]*:\/\//.test(repo)) return urlProblem(repo, shown);
  const host = scpHostOf(repo);
  return host?.startsWith('-') === true ? `the repository ${shown} has a host that begins with "-".` : undefined;
}

/** Why a ref is refused. `undefined`: it may be asked for. */
export function refProblem(ref: string): string | undefined {
  const isOdd = ref.startsWith('-') || hasControl(ref) || /[\s:?*[\]\\]|\.\.|@\{/.test(ref);
  return isOdd ? `the ref ${JSON.stringify(ref)} is no name of a branch, a tag or a commit.` : undefined;
}

/** True for a path of this machine. */
export function isLocalRepo(repo: string): boolean {
  return !/^[A-Za-z][\w+.-]*:\/\//.test(repo) && scpHostOf(repo) === undefined;
}

function urlProblem(repo: string, shown: string): string | undefined {
  if (!URL.canParse(repo)) return `the repository ${shown} is no URL.`;
  const url = new URL(repo);
  if (!PROTOCOLS.has(url.protocol)) return `the repository ${shown} is none of https, http, ssh, git and file.`;
  if (url.username !== '' || url.password !== '') return `the repository ${shown} has a user or a password in its URL. Leave it to git's own credential helper, or write git@host:path.`;
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(repo)) return `the repository ${shown} has a query or a fragment.`;
  return url.hostname.startsWith('-') ? `the repository ${shown} has a host that begins with "-".` : undefined;
}

/** The host of `user@host:path`, as git reads it: a colon before the first slash. */
function scpHostOf(repo: string): string | undefined {
  const before = /^([^/:]+):/.exec(repo)?.[1];
  return before?.slice(before.lastIndexOf('@') + 1);
}

function withoutUser(repo: string): string {
  return repo.replace(/^([A-Za-z][\w+.-]*:\/\/)[^/@]*@/, '$1');
}

function hasControl(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}
