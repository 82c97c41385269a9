/** Carries out the steps of the Containerfile in folders of its own, one for each stage: no container runtime is needed. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { packagesOf, readLockFile } from '../../scripts/packages/lock-file.ts'

export const PROJECT = join(import.meta.dirname, '../..')

/** The image that the last stage makes. */
export interface Image {
  /** The folder that stands for `/`. */
  readonly root: string
  readonly workdir: string
  readonly env: Readonly<Record<string, string>>
  readonly user: string
  readonly volumes: readonly string[]
  readonly health: readonly string[]
  readonly command: readonly string[]
  readonly remove: () => void
}

interface Stage {
  readonly root: string
  workdir: string
  env: Record<string, string>
  user: string
  volumes: string[]
  health: string[]
  command: string[]
}

type Step = (stage: Stage, rest: string, stages: ReadonlyMap<string, Stage>) => void

/** https://docs.docker.com/reference/dockerfile; any other instruction is an error. */
const STEPS: Readonly<Record<string, Step>> = {
  WORKDIR: (stage, rest) => {
    stage.workdir = rest
    mkdirSync(join(stage.root, rest), { recursive: true })
  },
  COPY: (stage, rest, stages) => {
    const [, from, source = '', target = ''] = /^(?:--from=(\S+) )?(.+) (\S+)$/.exec(rest) ?? []
    const to = target.startsWith('/') ? join(stage.root, target) : join(stage.root, stage.workdir, target)
    if (from !== undefined) return cpSync(join(stages.get(from)?.root ?? '', source), to, { recursive: true })
    for (const path of source === '.' ? contextNames() : source.split(' '))
      cpSync(join(PROJECT, path), source.includes(' ') || source === '.' ? join(to, path) : to, {
        recursive: true,
        filter: isInContext,
      })
  },
  RUN: (stage, rest) => {
    const cwd = join(stage.root, stage.workdir)
    if (rest.startsWith('npm ci ')) return install(cwd, rest)
    // Owners are of the image, whose users this machine does not have.
    if (rest.startsWith('chown ')) return
    const [program = '', ...args] = rest
      .split(' ')
      .map((word) => (word.startsWith('/') ? join(stage.root, word) : word))
    execFileSync(program === 'node' ? process.execPath : program, args, { cwd, stdio: 'pipe' })
  },
  ENV: (stage, rest) => {
    for (const pair of rest.split(' ')) stage.env[pair.split('=')[0] ?? ''] = pair.slice(pair.indexOf('=') + 1)
  },
  USER: (stage, rest) => {
    stage.user = rest
  },
  VOLUME: (stage, rest) => {
    stage.volumes.push(rest)
  },
  HEALTHCHECK: (stage, rest) => {
    stage.health = JSON.parse(rest.slice(rest.indexOf('[')))
  },
  CMD: (stage, rest) => {
    stage.command = JSON.parse(rest)
  },
  EXPOSE: () => {},
  STOPSIGNAL: () => {},
}

/** @throws Error for a step that fails, or that is not known */
export function buildImage(): Image {
  const folder = mkdtempSync(join(tmpdir(), 'image-'))
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const line of linesOf('Containerfile')) {
    const [instruction = '', rest = ''] = [line.split(' ')[0], line.slice(line.indexOf(' ') + 1)]
    if (instruction === 'ARG') continue
    if (instruction === 'FROM') {
      stage = newStage(join(folder, String(stages.size)))
      stages.set(rest.split(' AS ')[1] ?? '', stage)
      continue
    }
    const step = STEPS[instruction]
    if (step === undefined || stage === undefined) throw new Error(`The step '${line}' is not known`)
    step(stage, rest, stages)
  }
  if (stage === undefined) throw new Error('The Containerfile has no stage')
  return { ...stage, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function newStage(root: string): Stage {
  mkdirSync(root, { recursive: true })
  return { root, workdir: '/', env: {}, user: 'root', volumes: [], health: [], command: [] }
}

/** Lines without comments, continued ones joined. */
const linesOf = (file: string): readonly string[] =>
  readFileSync(join(PROJECT, file), 'utf8')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

/** The names at the top that .dockerignore lets through: it begins with all being left out. */
function contextNames(): readonly string[] {
  const [first, ...others] = linesOf('.dockerignore')
  if (first !== '*') throw new Error('.dockerignore must leave everything out first')
  return others.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
}

const isInContext = (path: string): boolean =>
  !path.split(sep).includes('node_modules') && relative(PROJECT, path) !== join('docs', 'pictures')

/**
 * Installs as npm does with these options, with the packages of this project's own installation in place of the registry's.
 * Packages are copied, so that one that is missing is not found beside another one.
 */
function install(cwd: string, command: string): void {
  if (!command.includes('--omit=dev')) throw new Error(`'${command}' installs packages for development`)
  const uses = command.includes('--workspaces=false') ? ['runtime'] : ['runtime', 'dashboard']
  rmSync(join(cwd, 'node_modules'), { recursive: true, force: true })
  for (const { place, use } of packagesOf(readLockFile(join(cwd, 'package-lock.json')))) {
    const from = join(PROJECT, place)
    if (!uses.includes(use) || !existsSync(from)) continue
    const filter = (path: string): boolean => path === from || !path.startsWith(join(from, 'node_modules'))
    cpSync(from, join(cwd, place), { recursive: true, verbatimSymlinks: true, filter })
  }
}
