/** The settings of a clinic's insurance-verification system. */
import { describe, expect, test } from '@jest/globals'
import { type ClinicSettings, parseSettings, withoutSecrets } from '../../src/clinics/settings.ts'

const REQUIRED = { name: 'Clinic', timeZone: 'Europe/Berlin', defaultRegion: 'DE' }
const SYSTEM = { enabled: true, url: 'https://payer.example/verify', token: 'token-of-the-clinic' }

const parsed = (insurance: unknown, current?: unknown) =>
  parseSettings({ ...REQUIRED, insurance }, current as ClinicSettings | undefined)
const problemsOf = (insurance: unknown, current?: unknown): readonly string[] => {
  const result = parsed(insurance, current)
  return 'problems' in result ? result.problems : []
}
const stored = (insurance: unknown, current?: unknown): ClinicSettings => {
  const result = parsed(insurance, current)
  if ('problems' in result) throw new Error(result.problems.join())
  return result.settings
}

test.each<[string, unknown, string]>([
  ['an object', true, 'insurance'],
  ['enabled true or false', { ...SYSTEM, enabled: 1 }, 'insurance.enabled'],
  ['an address', { ...SYSTEM, url: undefined }, 'insurance.url'],
  ['an http address', { ...SYSTEM, url: 'ftp://payer.example' }, 'insurance.url'],
  ['an address without a user name', { ...SYSTEM, url: 'https://user:secret@payer.example' }, 'insurance.url'],
  ['a token', { ...SYSTEM, token: undefined }, 'insurance.token'],
  ['a token without spaces', { ...SYSTEM, token: 'token of the clinic' }, 'insurance.token'],
  ['a token of 8 characters', { ...SYSTEM, token: 'short' }, 'insurance.token'],
  ['no token for the simulator', { ...SYSTEM, url: 'simulator' }, 'insurance.token'],
  ['a header of their own', { ...SYSTEM, apiKeyHeader: 'Idempotency-Key' }, 'insurance.apiKeyHeader'],
  ['the name of a header', { ...SYSTEM, apiKeyHeader: 'x key' }, 'insurance.apiKeyHeader'],
  ['a deadline that a caller waits for', { ...SYSTEM, deadlineMs: 2_801 }, 'insurance.deadlineMs'],
  ['a deadline that a system can keep', { ...SYSTEM, deadlineMs: 99 }, 'insurance.deadlineMs'],
  ['whole milliseconds', { ...SYSTEM, deadlineMs: 1_000.5 }, 'insurance.deadlineMs'],
  ['known keys', { ...SYSTEM, secret: 'x' }, 'secret'],
])('need %s', (_what, insurance, named) => {
  expect(problemsOf(insurance).join()).toContain(named)
})

test.each([null, undefined])('are none where they are %s', (insurance) => {
  expect(stored(insurance, { insurance: SYSTEM })).not.toHaveProperty('insurance')
})

test('of the simulator are its name', () => {
  const insurance = { enabled: true, url: 'simulator' }
  expect(stored(insurance).insurance).toEqual(insurance)
})

describe('the token', () => {
  test('is never read', () => {
    const shown = withoutSecrets(stored({ ...SYSTEM, apiKeyHeader: 'X-Api-Key', deadlineMs: 1_000 }))
    expect(shown).toMatchObject({ insurance: { token: 'set', apiKeyHeader: 'X-Api-Key', deadlineMs: 1_000 } })
    expect(JSON.stringify(shown)).not.toContain(SYSTEM.token)
  })

  test.each(['set', undefined])('stays as it is where %s is sent', (token) => {
    const url = 'https://payer.example/v2'
    expect(stored({ ...SYSTEM, url, token }, { insurance: SYSTEM }).insurance).toEqual({ ...SYSTEM, url })
  })

  test.each(['https://other.example/verify', 'http://payer.example/verify', 'https://payer.example:8443/verify'])(
    'of another address is not kept: %s',
    (url) => {
      expect(problemsOf({ ...SYSTEM, url, token: undefined }, { insurance: SYSTEM }).join()).toContain(
        'insurance.token',
      )
    },
  )
})
