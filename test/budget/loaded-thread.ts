/** A thread under load until the flag in its `workerData` says that there are no requests any more. */
import { parentPort, workerData } from 'node:worker_threads'
import { freeMemoryAfterLoad } from '../../src/budget/free-memory.ts'

/** Milliseconds. */
const LOOK = 50
/** Objects that are made, and those of them that are in use at a time. */
const LOAD = { objects: 3_000_000, inUse: 200_000 }

const flag = new Int32Array(workerData as SharedArrayBuffer)

freeMemoryAfterLoad(() => Atomics.load(flag, 0) === 1, LOOK)

function work(objects: number): void {
  let inUse: object[] = []
  for (let n = 0; n < objects; n++) {
    if (inUse.length === LOAD.inUse) inUse = []
    inUse.push({ n })
  }
}
work(LOAD.objects)
// V8 itself makes the memory of a thread smaller that does nothing.
const goesOn = setInterval(() => {
  if (Atomics.load(flag, 0) === 0) work(LOAD.objects / 20)
  else clearInterval(goesOn)
}, 20)
// What keeps the thread alive.
parentPort?.on('message', () => undefined)
parentPort?.postMessage('loaded')
