/** A thread under load, until the flag in its `workerData` says that no more requests come. */
import { parentPort, workerData } from 'node:worker_threads'
import { freeMemoryAfterLoad } from '../../src/isolation/free-memory.ts'

/** Milliseconds. */
const LOOK = 50
/** Objects that are made, and those of them that are in use at a time. */
const LOAD = { objects: 3_000_000, inUse: 200_000 }
/** Objects that are in use for as long as there are requests: V8 cannot give back their memory, whenever it collects. */
const IN_USE_UNDER_LOAD = 1_200_000

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
let inUseUnderLoad: readonly object[] = Array.from({ length: IN_USE_UNDER_LOAD }, (_, n) => ({ n }))
// The thread stays busy, as V8 itself shrinks the memory of an idle one.
const goesOn = setInterval(() => {
  if (Atomics.load(flag, 0) === 0) work(LOAD.objects / 20)
  else {
    inUseUnderLoad = []
    clearInterval(goesOn)
  }
}, 20)
// The listener keeps the thread alive.
parentPort?.on('message', () => undefined)
parentPort?.postMessage(`loaded ${inUseUnderLoad.length}`)
