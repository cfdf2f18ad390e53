import { show } from '../expect/match.js';
import { isWorkspaceSource } from '../sandbox/prepare/step.js';
import { DefinitionError } from './errors.js';

/** @throws DefinitionError unless the value is absent, a specification like that of docker(), or, where it is taken, a sandboxLayer(). */
export function checkSandbox(factory: string, value: unknown, { takesLayer }: { readonly takesLayer: boolean }): void {
  if (value === undefined) return;
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined;
  if (kind === 'sandbox-spec' || (takesLayer && kind === 'sandbox-layer')) return;
  if (kind === 'sandbox-layer') throw new DefinitionError(`${factory}: \`sandbox\` cannot be a sandboxLayer(), which leaves the image to the experiment. Write \`docker().prepare(...)\`.`);
  throw new DefinitionError(`${factory}: \`sandbox\` must be made by ${takesLayer ? 'docker() or sandboxLayer()' : 'docker()'} of "niceeval/sandbox", not ${show(value)}.`);
}

/** @throws DefinitionError unless the value is absent, the path of a folder, or a source of files. */
export function checkWorkspace(factory: string, value: unknown): void {
  if (value === undefined || isWorkspaceSource(value) || (typeof value === 'string' && value.trim() !== '' && !value.includes('\0'))) return;
  throw new DefinitionError(`${factory}: \`workspace\` must be the path of a folder, or made by fromFolder(), fromGit() or fromTar() of "niceeval/sandbox", not ${show(value)}.`);
}
