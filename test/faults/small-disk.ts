/** Disks that are full for a while. Both ways need Linux, and leave nothing behind when the test's process ends. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from '../support/run.ts'

const SIZE = 64 * 1024 * 1024
/** Bytes left when it is full: a few hundred writes. */
const REST = 2 * 1024 * 1024

export interface SmallDisk {
  /** The folder, for processes that run within it. */
  readonly folder: string
  /** The same, for this process. */
  readonly path: string
  /** The command that starts a server within it, see `launch`. */
  readonly within: readonly string[]
  /** @param pid of the server whose `file` is on it */
  fill(pid: number, file: string): void
  free(pid: number): void
  end(): void
}

/** A tmpfs in a mount namespace of its own; undefined where this user may not make one. */
export async function tmpfs(): Promise<SmallDisk | undefined> {
  const folder = newFolder()
  for (const namespaces of [['--mount'], ['--user', '--map-root-user', '--mount']]) {
    const mount = `mount -t tmpfs -o size=${SIZE} tmpfs '${folder}' && echo mounted && exec cat`
    // Holds the namespace, and ends with this process, which closes its standard input.
    const holder = spawn('unshare', [...namespaces, 'sh', '-c', mount], { stdio: ['pipe', 'pipe', 'ignore'] })
    const [said] = await Promise.race([once(holder.stdout, 'data'), once(holder, 'close'), once(holder, 'error')])
    if (String(said).startsWith('mounted'))
      return held(Number(holder.pid), folder, namespaces, () => holder.stdin.end())
  }
  return undefined
}

function held(pid: number, folder: string, namespaces: readonly string[], end: () => void): SmallDisk {
  const path = join(`/proc/${pid}/root`, folder)
  const ballast = join(path, 'ballast')
  const user = namespaces.includes('--user') ? ['--user', '--preserve-credentials'] : []
  return {
    folder,
    path,
    within: ['nsenter', '--target', String(pid), ...user, '--mount', '--'],
    fill: () => {
      const { bavail, bsize } = statfsSync(path)
      writeFileSync(ballast, Buffer.alloc(bavail * bsize - REST))
    },
    free: () => rmSync(ballast),
    end,
  }
}

/** A limit on the size of files, as a fallback. To the server the disk is not full, but fails. */
export function limited(): SmallDisk {
  const folder = newFolder()
  const limit = (pid: number, bytes: number | 'unlimited') =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
  return {
    folder,
    path: folder,
    within: [],
    fill: (pid, file) => limit(pid, statSync(join(folder, file)).size + REST),
    free: (pid) => limit(pid, 'unlimited'),
    end: () => {},
  }
}
