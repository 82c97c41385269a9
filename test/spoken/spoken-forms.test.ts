/** The table of spoken forms (forms.ts) by the readers alone, and through the routes of the tools. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { request, startServer, type TestServer } from '../support/server.ts'
import { formsOf, kinds, READERS } from './forms.ts'

const forms = kinds.flatMap((kind) => formsOf(kind).map((form) => ({ kind, ...form })))

test('there are 250 forms at least, and 100 traps among them', () => {
  expect(forms.length).toBeGreaterThanOrEqual(250)
  expect(forms.filter(({ isTrap }) => isTrap).length).toBeGreaterThanOrEqual(100)
  expect(new Set(forms.map(({ kind, said }) => `${kind} ${said}`)).size).toBe(forms.length)
})

describe.each(kinds)('%s', (kind) => {
  test.each(formsOf(kind))('$said', ({ said, stored, question }) => {
    const heard = READERS[kind]?.(said)
    if (stored === undefined) expect(heard).toEqual({ ok: false, error: expect.stringContaining(question) })
    else expect(heard?.ok && String(heard.value)).toBe(stored)
  })
})

describe('through the routes of the tools', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  const PATHS: Readonly<Record<string, string>> = {
    memberId: '/patient-journey/submit_insurance_info',
    subscriberName: '/patient-journey/submit_insurance_info',
    selfPayPriceCents: '/patient-journey/record_self_pay_decision',
    firstName: '/patient-journey/update_registration_field',
    lastName: '/patient-journey/update_registration_field',
    commsConsent: '/patient-journey/update_registration_field',
  }

  function argumentsOf(kind: string, said: string): object {
    if (kind === 'memberId') return { payerName: 'Acme Health', memberId: said }
    if (kind === 'subscriberName') return { payerName: 'Acme Health', memberId: 'XYZ-1235', subscriberName: said }
    if (kind === 'selfPayPriceCents') return { decision: 'self_pay_continue', selfPayPriceCents: said }
    return kind in PATHS ? { [kind]: said } : { fieldName: kind === 'date' ? 'dateOfBirth' : kind, value: said }
  }

  /** The most that a request may batch. */
  const BATCH = 32

  async function resultsOf(kind: string): Promise<readonly Record<string, unknown>[]> {
    const calls = formsOf(kind).map(({ said }, id) => ({
      id: `${kind}-${id}`,
      function: { arguments: argumentsOf(kind, said) },
    }))
    const results: Record<string, unknown>[] = []
    for (let from = 0; from < calls.length; from += BATCH) {
      const body = { message: { toolCalls: calls.slice(from, from + BATCH) } }
      const path = PATHS[kind] ?? '/patient-intake/validate_intake_field'
      const headers = { 'x-voice-secret': 'demo-secret', 'x-call-id': `forms-${kind}` }
      const answer = await request(server.url, 'POST', path, body, { ...headers, 'content-type': 'application/json' })
      results.push(...answer.body.results.map(({ result }: { result: string }) => JSON.parse(result)))
    }
    return results
  }

  // Three tools read `when`: test/calls/tools/asked-times.test.ts.
  test.each(kinds.filter((kind) => kind !== 'when'))(
    'what is certain of %s is taken, and the rest is asked back',
    async (kind) => {
      const results = await resultsOf(kind)
      const taken = results.map(
        ({ valid, success, code }) => valid ?? (success === true || code === 'invalid-member-info'),
      )
      expect(taken).toEqual(formsOf(kind).map(({ stored }) => stored !== undefined))
      for (const [index, { stored }] of formsOf(kind).entries()) {
        const { value, say } = results[index] ?? {}
        expect(say).toEqual(expect.any(String))
        if (value !== undefined) expect(value).toBe(stored)
      }
    },
  )
})
