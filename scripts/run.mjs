/**
 * Runs a TypeScript file of this project: `node scripts/run.mjs [--watch] FILE [arguments]`.
 *
 * This launcher runs on any Node from 18 on. In a fresh clone it installs what is missing (Node 24 and the packages of
 * package-lock.json); afterwards it only checks a few files before it runs FILE.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { takeTurn } from './lock.mjs'
import { forWorkspacesOnly } from './packages/reach.mjs'

const REQUIRED_MAJOR = 24

const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b/

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const runtime = join(root, '.runtime')
const modules = join(root, 'node_modules')
/** The package with Node's binary per platform, as package-lock.json has entries; not every version is for every platform. */
const runtimes = join(root, 'scripts', 'runtimes.json')
const windows = process.platform === 'win32'

/** The file in node_modules that marks a finished installation: a copy of the lock file, by how much of it is installed. */
const MARKS = {
  all: '.installed-lock.json',
  withoutDev: '.installed-lock.production.json',
  serverOnly: '.installed-lock.server.json',
}
/** Needs the packages of the workspace, wherever it runs. */
const BUILDER = join(root, 'scripts', 'dashboard.ts')

class LaunchError extends Error {}

function say(sentence) {
  process.stderr.write(`${sentence}\n`)
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Runs npm quietly; its stderr is shown when it fails. */
function npm(purpose, args, env) {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  const result = spawnSync('npm', [...args, ...quiet], {
    cwd: root,
    env,
    shell: windows,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  })
  if (result.error) throw new LaunchError(`${purpose} failed: npm could not be started (${result.error.message}).`)
  if (result.status === 0) return
  process.stderr.write(result.stderr)
  const reason = UNREACHABLE.test(result.stderr)
    ? 'the npm registry could not be reached. Check the network or the proxy settings and run the same command again'
    : `npm ${args[0]} ended with ${result.signal ?? `exit code ${result.status}`}`
  throw new LaunchError(`${purpose} failed: ${reason}.`)
}

/** Installs in one process at a time; the others wait until it is done. */
function exclusively(isDone, install) {
  const endTurn = turn()
  try {
    if (!isDone()) install()
  } finally {
    endTurn()
  }
}

function turn() {
  try {
    return takeTurn(join(runtime, 'install.lock'), (holder) =>
      say(`Waiting for the installation that process ${holder} has begun.`),
    )
  } catch (error) {
    throw new LaunchError(`The folder ${runtime} must be writable to install what is missing (${error.code}).`)
  }
}

/** The lock file by which `npm ci` installs Node's package, so that it accepts only the archive with that hash. */
function writeRuntimeLock({ name, ...entry }) {
  const project = { private: true, dependencies: { [name]: entry.version } }
  const lock = { lockfileVersion: 3, packages: { '': project, [`node_modules/${name}`]: entry } }
  writeFileSync(join(runtime, 'package.json'), JSON.stringify(project))
  writeFileSync(join(runtime, 'package-lock.json'), JSON.stringify(lock))
}

/** The path of a sufficiently new Node, which is installed by npm when this one is too old. */
function findNode() {
  if (Number.parseInt(process.versions.node, 10) >= REQUIRED_MAJOR) return process.execPath
  const found = readJson(runtimes)?.[`${process.platform}-${process.arch}`]
  if (!found) {
    throw new LaunchError(
      `Node ${REQUIRED_MAJOR} or newer is needed and this is ${process.versions.node}; ` +
        `for ${process.platform}-${process.arch} install it from https://nodejs.org.`,
    )
  }
  const binary = join(runtime, 'node_modules', found.name, 'bin', windows ? 'node.exe' : 'node')
  // The stamp is written after the binary has run once, so that an incomplete binary is never used.
  const stamp = join(runtime, 'installed')
  const wanted = `${found.name}@${found.version}`
  const isDone = () => read(stamp) === wanted && existsSync(binary)
  if (!isDone()) {
    exclusively(isDone, () => {
      say(`This is Node ${process.versions.node}: bringing Node ${found.version} along into .runtime, once.`)
      writeRuntimeLock(found)
      // The platform's package has no install script, so it works under any npm policy for scripts.
      npm('Bringing Node along', ['ci', '--prefix', runtime], process.env)
      const check = spawnSync(binary, ['--version'], { encoding: 'utf8' })
      if (check.stdout?.trim() !== `v${found.version}`) {
        throw new LaunchError(
          `Node ${found.version} from the package ${found.name} does not run here; ` +
            `install Node ${REQUIRED_MAJOR} from https://nodejs.org.`,
        )
      }
      writeFileSync(stamp, wanted)
    })
  }
  return binary
}

/**
 * How much of the lock file an installation by other means has, in the same versions (a key of MARKS); undefined where
 * that is not enough for anything.
 */
function installedPart(lockText) {
  const lock = JSON.parse(lockText)
  const installed = readJson(join(modules, '.package-lock.json'))?.packages
  if (!installed) return undefined
  const wanted = Object.entries(lock.packages).filter(([path]) => path !== '')
  const isThere = ([path, entry]) =>
    installed[path].version === entry.version && existsSync(join(root, path, 'package.json'))
  if (!wanted.filter(([path]) => installed[path]).every(isThere)) return undefined
  const missing = wanted.filter(([path, entry]) => !installed[path] && !entry.optional && !entry.devOptional)
  if (missing.length === 0) return 'all'
  if (missing.every(([, entry]) => entry.dev)) return 'withoutDev'
  if (wanted.some(([path, entry]) => entry.link && installed[path])) return undefined
  const dispensable = forWorkspacesOnly(lock)
  return missing.every(([path, entry]) => entry.dev || dispensable.has(path)) ? 'serverOnly' : undefined
}

/** The installations that FILE can run with; npm leaves the development packages out in production, which `npm test` needs. */
function sufficientFor(file) {
  if (process.env.NODE_ENV !== 'production') return ['all']
  return file === BUILDER ? ['all', 'withoutDev'] : ['all', 'withoutDev', 'serverOnly']
}

/** Installs the packages of package-lock.json that FILE needs. */
function ensureModules(env, file) {
  const lockText = read(join(root, 'package-lock.json'))
  if (lockText === undefined)
    throw new LaunchError(`${join(root, 'package-lock.json')} is missing: restore it from git.`)
  const sufficient = sufficientFor(file)
  const isDone = () => sufficient.some((part) => read(join(modules, MARKS[part])) === lockText)
  const mark = (part) => {
    try {
      writeFileSync(join(modules, MARKS[part]), lockText)
    } catch {
      // A read-only installation is usable; it is just compared again at the next start.
    }
  }
  if (isDone()) return
  const part = installedPart(lockText)
  if (sufficient.includes(part)) return mark(part)
  exclusively(isDone, () => {
    say('Installing the packages that package-lock.json names; this takes a minute, once.')
    npm('Installing the packages', ['ci'], env)
    mark(sufficient.includes('withoutDev') ? 'withoutDev' : 'all')
  })
}

/** The environment of FILE and its child processes: Node 24 first on the path, a compile cache, no experimental warnings. */
function environment(node) {
  const quiet = '--disable-warning=ExperimentalWarning'
  const options = process.env.NODE_OPTIONS ?? ''
  const pathKey = Object.keys(process.env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH'
  return {
    ...process.env,
    [pathKey]: `${dirname(node)}${delimiter}${process.env[pathKey] ?? ''}`,
    NODE_OPTIONS: options.includes(quiet) ? options : `${options} ${quiet}`.trim(),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(modules, '.cache', 'node-compile'),
  }
}

/** Runs FILE in this process, applying options that are otherwise given as flags. */
async function runHere(file, args, env) {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(env.NODE_COMPILE_CACHE)
  const emitWarning = process.emitWarning
  process.emitWarning = (warning, ...rest) => {
    const type = typeof rest[0] === 'object' ? rest[0]?.type : rest[0]
    if (type !== 'ExperimentalWarning') emitWarning.call(process, warning, ...rest)
  }
  Object.assign(process.env, env)
  process.argv = [process.execPath, file, ...args]
  await import(pathToFileURL(file).href)
}

/** Runs FILE in a child process, forwarding signals to it and returning its exit code. */
function runThere(node, nodeArgs, file, args, env) {
  const child = spawn(node, [...nodeArgs, file, ...args], { stdio: 'inherit', env })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const forward = (signal) => {
    // A terminal sends Ctrl-C to both processes by itself.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  for (const signal of signals) process.on(signal, forward)
  child.on('error', (error) => {
    say(`${node} could not be started: ${error.message}.`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code)
    for (const each of signals) process.removeAllListeners(each)
    process.kill(process.pid, signal)
  })
}

/** Node watches FILE's modules itself; these folders have the data that it reads. */
function watchArguments() {
  const folders = ['src', 'resources', 'capability', 'dashboard'].map((folder) => join(root, folder)).filter(existsSync)
  return ['--watch', ...folders.map((folder) => `--watch-path=${folder}`)]
}

async function main() {
  const watch = process.argv[2] === '--watch'
  const [file, ...args] = process.argv.slice(watch ? 3 : 2)
  if (file === undefined) throw new LaunchError('Usage: node scripts/run.mjs [--watch] FILE [arguments]')
  const path = resolve(root, file)
  const node = findNode()
  const env = environment(node)
  ensureModules(env, path)
  if (!existsSync(path)) throw new LaunchError(`There is no file ${path} to run.`)
  if (watch) return runThere(node, watchArguments(), path, args, env)
  if (node === process.execPath) return runHere(path, args, env)
  return runThere(node, process.execArgv, path, args, env)
}

main().catch((error) => {
  say(error instanceof LaunchError ? error.message : (error.stack ?? String(error)))
  process.exit(1)
})
