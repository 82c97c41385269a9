/** The connector to a clinic's verification system, against a system with scripted responses: docs/insurance.md. */

import { afterEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { InsuranceSettings } from '../../../src/clinics/insurance-settings.ts'
import { INSURANCE_STATUSES, type InsuranceRequest, type InsuranceResult } from '../../../src/core/ports.ts'
import { FAILURES, insuranceConnector, PAUSE, resultOf } from '../../../src/integrations/insurance.ts'
import type { Outbound } from '../../../src/integrations/outbound-request.ts'
import { type InsuranceSystem, type SystemBehaviour, startSystem, TOKEN } from './system.ts'

const QUESTION: InsuranceRequest = { clinic: 'a', payerName: 'Acme Health', memberId: 'XYZ-1235', groupId: 'G-7' }

const systems: InsuranceSystem[] = []
afterEach(() => Promise.all(systems.splice(0).map((system) => system.close())))

async function system(told?: SystemBehaviour): Promise<InsuranceSystem> {
  const started = await startSystem(told)
  systems.push(started)
  return started
}

type Parts = Partial<Omit<Outbound, 'deadlineMs'>> & { readonly clock?: () => number }

const connector = ({ clock, ...outbound }: Parts = {}) =>
  insuranceConnector({ outbound: { allowPrivate: true, ...outbound }, ...(clock === undefined ? {} : { clock }) })

const settingsOf = (
  { url }: Pick<InsuranceSystem, 'url'>,
  more: Partial<InsuranceSettings> = {},
): InsuranceSettings => ({
  enabled: true,
  url,
  token: TOKEN,
  ...more,
})

const ask = (settings: InsuranceSettings, insurance = connector()): Promise<InsuranceResult> =>
  insurance.verify(QUESTION, { settings, idempotencyKey: 'insurance-1' })

const answerTo = async (told: SystemBehaviour): Promise<InsuranceResult> => await ask(settingsOf(await system(told)))

describe('what is sent', () => {
  test('is the question as JSON, with the idempotency key and the token', async () => {
    const asked = await system()
    await ask(settingsOf(asked))
    const [{ headers, body } = { headers: {}, body: '' }, ...more] = asked.asked
    expect(more).toEqual([])
    expect(JSON.parse(body)).toEqual(QUESTION)
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'insurance-1',
      authorization: `Bearer ${TOKEN}`,
    })
  })

  test('has the token in the header that the clinic names, and nowhere else', async () => {
    const asked = await system()
    expect((await ask(settingsOf(asked, { apiKeyHeader: 'X-Api-Key' }))).status).toBe('VERIFIED')
    expect(asked.asked[0]?.headers).toMatchObject({ 'x-api-key': TOKEN })
    expect(asked.asked[0]?.headers).not.toHaveProperty('authorization')
  })
})

describe('a valid answer is relayed as it is', () => {
  test.each(INSURANCE_STATUSES)('%s', async (status) => {
    const isFailure = status !== 'VERIFIED' && status !== 'PENDING'
    expect(await answerTo({ body: { status, copayCents: 1250, errorMessage: 'said so', more: [1] } })).toEqual({
      status,
      copayCents: 1250,
      ...(isFailure ? { errorMessage: 'said so' } : {}),
    })
  })

  test.each([0, 1, Number.MAX_SAFE_INTEGER])('with a copay of %d', async (copayCents) => {
    expect(await answerTo({ body: { status: 'VERIFIED', copayCents } })).toEqual({ status: 'VERIFIED', copayCents })
  })

  test('with null for what it does not have', async () => {
    const body = { status: 'INACTIVE', copayCents: null, errorMessage: null }
    expect(await answerTo({ body })).toEqual({ status: 'INACTIVE' })
  })

  test('with a message in one line, that can be stored', async () => {
    const body = '{"status":"INACTIVE","errorMessage":"  the plan\\r\\n\\u0000ended \\ud800 "}'
    expect(await answerTo({ body })).toEqual({ status: 'INACTIVE', errorMessage: 'the plan ended \ufffd' })
  })

  test('PENDING says when to ask again', async () => {
    expect(await answerTo({ body: { status: 'PENDING' }, headers: { 'retry-after': '90' } })).toEqual({
      status: 'PENDING',
      again: { afterMs: 90_000 },
    })
  })

  test('any answer is valid or not, and no other fails', () => {
    const values = fc.oneof(fc.constantFrom(...INSURANCE_STATUSES), fc.jsonValue())
    const answers = fc.record({ status: values, copayCents: values, errorMessage: values }, { requiredKeys: [] })
    fc.assert(
      fc.property(fc.oneof(answers, fc.jsonValue()), (body) => {
        const result = resultOf(body)
        if (result === undefined) return
        expect(INSURANCE_STATUSES).toContain(result.status)
        const { copayCents = 0, errorMessage = 'x' } = result
        expect(Number.isSafeInteger(copayCents) && copayCents >= 0).toBe(true)
        expect(errorMessage).toMatch(/^\S(?:[^\p{Cc}]{0,498}\S)?$/u)
      }),
    )
  })
})

const UNUSABLE = 'The insurance-verification system gave no response that can be used'
const UNAVAILABLE = 'The insurance-verification system cannot be reached at the moment'
const SECRET = 'Mrs Zanzibar'

describe('of an answer that is not valid nothing is shown: ERROR', () => {
  test.each<[string, SystemBehaviour]>([
    ['no JSON', { body: SECRET }],
    ['a page', { body: `<html>${SECRET}</html>`, headers: { 'content-type': 'text/html' } }],
    ['nothing', { body: '' }],
    ['a list', { body: [SECRET] }],
    ['no status', { body: { errorMessage: SECRET } }],
    ['another status', { body: { status: SECRET } }],
    ['a status in small letters', { body: { status: 'verified', errorMessage: SECRET } }],
    ['a copay with a fraction', { body: { status: 'VERIFIED', copayCents: 12.5 } }],
    ['a copay as text', { body: { status: 'VERIFIED', copayCents: '25' } }],
    ['a negative copay', { body: { status: 'VERIFIED', copayCents: -1 } }],
    ['a copay that is not exact', { body: '{"status":"VERIFIED","copayCents":9007199254740993}' }],
    ['a message that is no text', { body: { status: 'ERROR', errorMessage: { text: SECRET } } }],
    ['a message of 501 characters', { body: { status: 'ERROR', errorMessage: SECRET.padEnd(501, 'x') } }],
    ['a long answer', { body: { status: 'VERIFIED', more: SECRET.padEnd(70_000, 'x') } }],
    ['201', { status: 201, body: { status: 'VERIFIED', errorMessage: SECRET } }],
    ['a redirection', { status: 307, headers: { location: '/next' }, body: SECRET }],
    ['400', { status: 400, body: SECRET }],
    ['404', { status: 404, body: { status: 'VERIFIED', errorMessage: SECRET } }],
  ])('%s', async (_what, told) => {
    const result = await answerTo(told)
    expect(result).toMatchObject({ status: 'ERROR', errorMessage: UNUSABLE, reason: expect.any(String) })
    expect(JSON.stringify(result)).not.toContain('Zanzibar')
  })

  test('a redirection is not followed', async () => {
    const asked = await system({ status: 307, headers: { location: '/next' } })
    await ask(settingsOf(asked))
    expect(asked.asked.map(({ path }) => path)).toEqual(['/verify'])
  })

  test('wrong credentials: the reason says so, and they are not tried again by themselves', async () => {
    const asked = await system()
    const result = await ask(settingsOf(asked, { token: 'another-token' }))
    const reason = 'the verification system refuses the credentials of the clinic (401)'
    expect(result).toEqual({ status: 'ERROR', errorMessage: UNUSABLE, reason })
  })
})

describe('a system that cannot be reached: PAYER_UNAVAILABLE', () => {
  test.each<[string, SystemBehaviour, number]>([
    ['500', { status: 500, body: SECRET }, 0],
    ['503 for ten seconds', { status: 503, headers: { 'retry-after': '10' } }, 10_000],
    ['429', { status: 429 }, 0],
    ['a connection that breaks off', 'cut', 0],
  ])('%s', async (_what, told, afterMs) => {
    const result = await answerTo(told)
    expect(result).toMatchObject({ status: 'PAYER_UNAVAILABLE', errorMessage: UNAVAILABLE, again: { afterMs } })
    expect(JSON.stringify(result)).not.toContain('Zanzibar')
  })

  test('nobody listens', async () => {
    const gone = await system()
    await gone.close()
    const result = await ask(settingsOf(gone))
    expect(result).toMatchObject({ status: 'PAYER_UNAVAILABLE', reason: 'the verification system cannot be reached' })
  })
})

test('a system that does not answer in time: PENDING, to be asked again', async () => {
  expect(await ask(settingsOf(await system('silent'), { deadlineMs: 150 }))).toEqual({
    status: 'PENDING',
    reason: 'the verification system did not respond within 150 ms',
    again: { afterMs: 5_000 },
  })
})

describe('where private addresses are not allowed', () => {
  test.each(['127.0.0.1', 'localhost', '[::1]', '0x7f000001'])('%s is refused, and nothing is sent', async (host) => {
    const asked = await system()
    const url = asked.url.replace('127.0.0.1', host)
    const result = await ask(settingsOf({ url }), connector({ allowPrivate: false }))
    expect(result).toMatchObject({ status: 'ERROR', reason: expect.stringContaining('is not allowed') })
    expect(result).not.toHaveProperty('again')
    expect(asked.asked).toEqual([])
  })

  test('a name that leads to a private address is refused', async () => {
    const resolve = ((_name: string, _options: object, callback: (error: null, addresses: object[]) => void) =>
      callback(null, [{ address: '10.0.0.1', family: 4 }])) as unknown as NonNullable<Outbound['resolve']>
    const result = await ask(
      settingsOf({ url: 'http://payer.example/verify' }),
      connector({ allowPrivate: false, resolve }),
    )
    expect(result).toMatchObject({ status: 'ERROR', reason: expect.stringContaining('is not allowed') })
  })
})

test('a system that is switched off is not asked', async () => {
  const asked = await system()
  expect(await ask(settingsOf(asked, { enabled: false }))).toMatchObject({ status: 'ERROR', again: { afterMs: 0 } })
  expect(asked.asked).toEqual([])
})

describe('a system that has failed several times in a row', () => {
  test.each<[string, SystemBehaviour, Partial<InsuranceSettings>, string]>([
    ['slow', 'silent', { deadlineMs: 100 }, 'PENDING'],
    ['broken', { status: 500 }, {}, 'PAYER_UNAVAILABLE'],
    ['other credentials', { body: { status: 'VERIFIED' } }, { token: 'another-token' }, 'ERROR'],
  ])('is not asked for a while, and callers get what the last try gave: %s', async (_what, told, more, status) => {
    let now = 1_000_000
    const asked = await system(told)
    const insurance = connector({ clock: () => now })
    for (let n = 0; n < FAILURES; n++) await ask(settingsOf(asked, more), insurance)
    expect(await ask(settingsOf(asked, more), insurance)).toMatchObject({
      status,
      reason: expect.stringMatching(/for the moment it is not asked$/),
      again: { afterMs: PAUSE },
    })
    expect(asked.asked).toHaveLength(FAILURES)
    asked.answer({ body: { status: 'VERIFIED' } })
    now += PAUSE
    expect((await ask(settingsOf(asked), insurance)).status).toBe('VERIFIED')
    expect((await ask(settingsOf(asked), insurance)).status).toBe('VERIFIED')
  })

  test('is asked by another clinic, and with other credentials', async () => {
    const asked = await system({ status: 500 })
    const insurance = connector()
    for (let n = 0; n < FAILURES; n++) await ask(settingsOf(asked), insurance)
    asked.answer({ body: { status: 'VERIFIED' } })
    const settings = settingsOf(asked)
    const ofOther = await insurance.verify({ ...QUESTION, clinic: 'b' }, { settings, idempotencyKey: 'k' })
    const withOther = await ask(settingsOf(asked, { apiKeyHeader: 'X-Api-Key' }), insurance)
    expect([ofOther.status, withOther.status]).toEqual(['VERIFIED', 'VERIFIED'])
  })

  test('answers that say that the insurer failed are answers', async () => {
    const asked = await system({ body: { status: 'PAYER_UNAVAILABLE' } })
    const insurance = connector()
    for (let n = 0; n <= FAILURES; n++) await ask(settingsOf(asked), insurance)
    expect(asked.asked).toHaveLength(FAILURES + 1)
  })
})

describe('a clinic without a system', () => {
  const verify = (memberId: string, deadlineMs?: number) =>
    connector().verify(
      { ...QUESTION, memberId },
      { settings: undefined, idempotencyKey: 'k', ...(deadlineMs === undefined ? {} : { deadlineMs }) },
    )

  test('has the simulator, within the process where no server listens', async () => {
    expect(await verify('XYZ-1235')).toEqual({ status: 'VERIFIED', copayCents: 3500 })
  })

  test('whose slow answers are late too', async () => {
    expect(await verify('SLOW-1235', 100)).toMatchObject({ status: 'PENDING', again: { afterMs: 5_000 } })
  })
})
