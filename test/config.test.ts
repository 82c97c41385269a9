/** Configuration: defaults, and every problem named at once. */
import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../src/config.ts'

const secrets = { JWT_SECRET: 'j'.repeat(32), WEBHOOK_SECRET: 'w'.repeat(16) }

describe('readConfig', () => {
  test('needs nothing in demo mode', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      databaseUrl: 'sqlite:data/emr.db',
      demo: true,
      webhookSecret: 'demo-secret',
      baseUrl: undefined,
    })
  })

  test('reads the modules of EXTENSIONS in their order', () => {
    expect(readConfig({}).extensions).toEqual([])
    expect(readConfig({ EXTENSIONS: './rules.ts, @acme/tools,' }).extensions).toEqual(['./rules.ts', '@acme/tools'])
  })

  test('the demo JWT secret is a new random one each time', () => {
    expect(readConfig({}).jwt.secret).not.toBe(readConfig({}).jwt.secret)
  })

  test('NODE_ENV=production switches demo mode off', () => {
    expect(readConfig({ NODE_ENV: 'production', ...secrets }).demo).toBe(false)
  })

  test('has memory for three of the largest bodies, unless it is said otherwise', () => {
    expect(readConfig({}).limits.bodiesInFlightBytes).toBe(48 * 1024 * 1024)
    expect(readConfig({ MAX_BODY_BYTES: '5000' }).limits.bodiesInFlightBytes).toBe(15_000)
  })

  test('takes a slash off the end of BASE_URL', () => {
    expect(readConfig({ BASE_URL: 'https://emr.example/fhir/' }).baseUrl).toBe('https://emr.example/fhir')
  })

  test.each([
    [
      'a missing JWT_SECRET in production',
      { NODE_ENV: 'production', WEBHOOK_SECRET: secrets.WEBHOOK_SECRET },
      'JWT_SECRET is missing',
    ],
    [
      'a missing WEBHOOK_SECRET in production',
      { NODE_ENV: 'production', JWT_SECRET: secrets.JWT_SECRET },
      'WEBHOOK_SECRET is missing',
    ],
    [
      'the demo default in production',
      { ...secrets, NODE_ENV: 'production', WEBHOOK_SECRET: 'demo-secret' },
      'WEBHOOK_SECRET is the demo default',
    ],
    ['a missing secret with DEMO=off', { DEMO: 'off' }, 'JWT_SECRET is missing'],
    [
      'a missing secret in production, even with DEMO=on',
      { NODE_ENV: 'production', DEMO: 'on' },
      'JWT_SECRET is missing',
    ],
    [
      'a short secret',
      { ...secrets, DEMO: 'off', JWT_SECRET: 'short' },
      'JWT_SECRET is the demo default or shorter than 32',
    ],
    ['a PORT that is none', { PORT: '70000' }, 'PORT'],
    ['an engine it does not have', { DATABASE_URL: 'postgres://x' }, 'DATABASE_URL'],
    ['a LOG_LEVEL that is none', { LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    ['a switch that is neither on nor off', { DEMO: 'maybe' }, 'DEMO'],
    ['JWKS_URL without issuer and audience', { JWKS_URL: 'https://issuer.example/jwks' }, 'JWT_ISSUER'],
    [
      'less memory for bodies than one takes',
      { MAX_BODY_BYTES: '5000', MAX_BODIES_IN_FLIGHT_BYTES: '4999' },
      "MAX_BODIES_IN_FLIGHT_BYTES is '4999'; use a whole number from 5000",
    ],
    ['an address that is none', { BASE_URL: 'emr.example' }, 'BASE_URL'],
  ])('refuses %s with a sentence that names it', (_name, env, message) => {
    expect(() => readConfig(env)).toThrow(message)
  })

  test('names all problems at once', () => {
    let message = ''
    try {
      readConfig({ PORT: 'x', LOG_LEVEL: 'x', DEMO: 'off' })
    } catch (error) {
      message = String(error)
    }
    for (const name of ['PORT', 'LOG_LEVEL', 'JWT_SECRET', 'WEBHOOK_SECRET']) expect(message).toContain(name)
  })
})
