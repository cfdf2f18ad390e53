import picomatch from 'picomatch';
import { plainOf } from './file-paths.js';

/** Files of a working directory that something loads without being asked, at any depth, and what loads them. */
const IN_WORKDIR: readonly (readonly [loader: string, ...globs: string[]])[] = [
  ['pytest', 'conftest.py', 'pytest.ini', '.pytest.ini', 'tox.ini', 'setup.cfg', '*.dist-info/**', '*.egg-info/entry_points.txt'],
  ['Python', 'sitecustomize.py', 'usercustomize.py', '*.pth', 'pyvenv.cfg'],
  ['Jest, Vitest and the like', '{jest,vitest,vite,karma,ava,playwright,cypress,wdio}.config.*', 'vitest.workspace.*', '.mocharc{,.*}', '.taprc', '.nycrc{,.*}', '.c8rc{,.*}', 'jasmine.json'],
  ['compilers of JavaScript', 'babel.config.*', '.babelrc{,.*}', '.swcrc'],
  ['npm, Bun and Yarn', '.npmrc', 'bunfig.toml', '.yarnrc{,.yml}', '.pnpmfile.{cjs,mjs}'],
  ['shells and loaders of environments', '.env{,.*}', '.envrc'],
  ['Cargo', '.cargo/config{,.toml}', 'build.rs', 'rust-toolchain{,.toml}'],
  ['PHPUnit', 'phpunit.xml{,.dist}'],
  ['RSpec', '.rspec'],
  ['Maven and Gradle', '.mvn/**', 'gradle.properties', 'init.gradle{,.kts}'],
];

/** Files of the agent's home of that kind. */
const AT_HOME: readonly (readonly [loader: string, ...globs: string[]])[] = [
  ['shells', '.bashrc', '.bash_profile', '.bash_login', '.profile', '.zshrc', '.zshenv', '.zprofile', '.config/fish/**', '.env', '.envrc'],
  ['Python', '.local/lib/python*/site-packages/**', '.config/pip/**', '.pip/**', '.pydistutils.cfg'],
  ['programs by their name', '.local/bin/**', 'bin/**', '.cargo/bin/**', '.npm-global/**'],
  ['npm, Bun and Yarn', '.npmrc', '.bunfig.toml', '.yarnrc{,.yml}', 'node_modules/**', '.node_modules/**', '.node_libraries/**'],
  ['Cargo', '.cargo/config{,.toml}'],
  ['Maven and Gradle', '.m2/settings.xml', '.gradle/init.d/**', '.gradle/gradle.properties', '.gradle/init.gradle{,.kts}'],
];

const workdirMatchers = IN_WORKDIR.map(([loader, ...globs]) => ({ loader, fits: picomatch(globs.flatMap((glob) => [glob, `**/${glob}`]), { dot: true, flags: 's' }) }));
const homeMatchers = AT_HOME.map(([loader, ...globs]) => ({ loader, fits: picomatch([...globs], { dot: true, flags: 's' }) }));

/** What loads a file by itself. `undefined`: nothing that we know of. @param path In its text form. */
export function loaderOf(path: string, place: 'workdir' | 'home'): string | undefined {
  const plain = plainOf(path);
  return (place === 'workdir' ? workdirMatchers : homeMatchers).find(({ fits }) => fits(plain))?.loader;
}
