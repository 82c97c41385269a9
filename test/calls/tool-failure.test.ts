/** The result of a call that failed: what the agent may say. */
import { describe, expect, test } from '@jest/globals'
import { failure } from '../../src/calls/tool-failure.ts'

describe('the sentence of a failure', () => {
  test.each(['missing-argument', 'invalid-argument', 'timeout', 'transient', 'conflict', 'internal', 'unknown-tool'])(
    '%s promises no help of the staff, whom nobody has told',
    (code) => {
      expect(failure(undefined, code, 'x')).toMatchObject({ say: expect.not.stringMatching(/staff|team|we will/i) })
    },
  )
})
