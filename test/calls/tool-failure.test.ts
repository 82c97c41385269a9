/** The result of a failed tool call, with the sentence for the agent. */
import { describe, expect, test } from '@jest/globals'
import { failure } from '../../src/calls/tool.ts'

describe('the sentence of a failure', () => {
  test.each(['missing-argument', 'invalid-argument', 'timeout', 'transient', 'conflict', 'internal', 'unknown-tool'])(
    '%s promises no help of the staff, whom nobody has told',
    (code) => {
      expect(failure(undefined, code, 'x')).toMatchObject({ say: expect.not.stringMatching(/staff|team|we will/i) })
    },
  )
})
