/** An extension whose operation holds the event loop of its process, from the moment it makes a file until that is removed. */
import { existsSync, writeFileSync } from 'node:fs'
import { defineOperation } from '../../src/core/operation.ts'
import { defineExtension } from '../../src/extensions/extension.ts'

/** Environment variable with the name of the file. */
const FILE = 'HELD_LOOP_FILE'

const hold = defineOperation(
  {
    ...{ resourceType: 'OperationDefinition', id: 'test-hold', url: 'https://test.example/hold' },
    ...{ name: 'Test', status: 'active', kind: 'operation', code: 'hold', affectsState: false },
    ...{ system: true, type: false, instance: false },
  },
  async () => {
    const file = process.env[FILE] ?? ''
    writeFileSync(file, '')
    const sleeper = new Int32Array(new SharedArrayBuffer(4))
    while (existsSync(file)) Atomics.wait(sleeper, 0, 0, 10)
    return {}
  },
)

export const extension = defineExtension({ name: 'held-loop', operations: [hold] })
