/** Threads that work beside the event loop come after it where all cores are busy, whatever the priority of the process. */
import { spawnSync } from 'node:child_process'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

const MODULE = join(import.meta.dirname, '../../src/isolation/free-memory.ts')

/** Prints the priority of a thread that lowers its own, and that of the thread that started it. */
const PROGRAM = `
  const { Worker } = require('node:worker_threads')
  const { getPriority } = require('node:os')
  const thread = \`
    const { parentPort } = require('node:worker_threads')
    import('${MODULE}').then(({ lowerPriority }) => {
      lowerPriority(5)
      parentPort.postMessage(require('node:os').getPriority())
    })\`
  new Worker(thread, { eval: true }).on('message', (lowered) => console.log(getPriority(), lowered))`

const onLinux = process.platform === 'linux' ? test : test.skip

onLinux.each([0, 4, 17])('a thread that lowers its priority by five is five below a process at %i, or lowest', (by) => {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', '-e', PROGRAM]
  const { stdout } = spawnSync('nice', ['-n', String(by), ...node], { encoding: 'utf8' })
  const below = (steps: number) => Math.min(19, getPriority() + steps)
  expect(stdout.trim()).toBe(`${below(by)} ${below(by + 5)}`)
})
