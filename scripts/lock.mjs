/** One process at a time: a file that holds the number of the process whose turn it is. Runs on any Node from 18 on. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const EXPIRES_AFTER = 15 * 60_000
const POLL = 200

/**
 * Waits for the turn of this process, and takes it.
 * @param lock a file whose folder can be made
 * @param onWait called once with the number of the process that is waited for
 * @returns ends the turn
 * @throws an error of the file system where the file cannot be written
 */
export function takeTurn(lock, onWait) {
  mkdirSync(dirname(lock), { recursive: true })
  for (let waited = 0; !tryToLock(lock); waited += POLL) {
    if (isStale(lock)) rmSync(lock, { force: true })
    else {
      if (waited === 0) onWait(read(lock))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL)
    }
  }
  return () => rmSync(lock, { force: true })
}

function tryToLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

/** Whether a lock is abandoned: its process has exited, or it is older than any turn takes. */
function isStale(lock) {
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  const holder = Number(read(lock))
  if (!holder) return age > 10 * POLL
  return holder === process.pid || age > EXPIRES_AFTER || !isAlive(holder)
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
