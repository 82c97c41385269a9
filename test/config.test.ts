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
      rehearsal: true,
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

  test.each([undefined, '', 'development', 'test'])('demo mode is on where NODE_ENV is %p', (NODE_ENV) => {
    expect(readConfig({ NODE_ENV }).demo).toBe(true)
    expect(readConfig({ NODE_ENV, DEMO: 'off', ...secrets }).demo).toBe(false)
  })

  test.each(['production', 'prod', 'staging', 'Production', 'Development'])(
    'NODE_ENV=%s means production: demo mode is off, and cannot be turned on',
    (NODE_ENV) => {
      expect(readConfig({ NODE_ENV, ...secrets }).demo).toBe(false)
      expect(readConfig({ NODE_ENV, ...secrets }).rehearsal).toBe(false)
      expect(readConfig({ NODE_ENV, REHEARSAL: 'on', ...secrets }).rehearsal).toBe(true)
      for (const DEMO of ['on', 'public']) {
        expect(() => readConfig({ NODE_ENV, DEMO, ...secrets })).toThrow(
          `DEMO is '${DEMO}', but NODE_ENV is '${NODE_ENV}', which means production`,
        )
      }
    },
  )

  test.each(['0.0.0.0', '::', '10.0.0.2', '192.0.2.1', 'emr.example', '127.example'])(
    'HOST=%s in demo mode stops the start, unless DEMO=public says that it is wanted',
    (HOST) => {
      for (const DEMO of [undefined, 'on']) {
        expect(() => readConfig({ HOST, DEMO })).toThrow(`HOST is '${HOST}', where others can reach the demo`)
      }
      expect(readConfig({ HOST, DEMO: 'public' })).toMatchObject({ host: HOST, demo: true })
      expect(readConfig({ HOST, DEMO: 'off', ...secrets })).toMatchObject({ host: HOST, demo: false })
    },
  )

  test.each([undefined, '127.0.0.1', '127.1.2.3', '::1', 'localhost'])('HOST=%s is no public address', (HOST) => {
    expect(readConfig({ HOST }).demo).toBe(true)
  })

  test('reads the first operator, whose password has no default', () => {
    expect(readConfig({})).not.toHaveProperty('firstOperator')
    const both = { OPERATOR_USERNAME: 'otto', OPERATOR_PASSWORD: 'a long password' }
    expect(readConfig(both).firstOperator).toEqual({ username: 'otto', password: 'a long password' })
    for (const name of Object.keys(both)) {
      expect(() => readConfig({ ...both, [name]: '' })).toThrow('OPERATOR_USERNAME and OPERATOR_PASSWORD')
    }
  })

  test('has memory for three of the largest bodies, unless it is said otherwise', () => {
    expect(readConfig({}).limits.bodiesInFlightBytes).toBe(96 * 1024 * 1024)
    expect(readConfig({ MAX_BODY_BYTES: '5000' }).limits.bodiesInFlightBytes).toBe(15_000)
  })

  test('has connectors reach private addresses in demo mode only, unless it is said otherwise', () => {
    const production = { ...secrets, NODE_ENV: 'production' }
    const read = [{}, production, { ALLOW_PRIVATE_ADDRESSES: 'off' }, { ...production, ALLOW_PRIVATE_ADDRESSES: 'on' }]
    expect(read.map((env) => readConfig(env).allowPrivateAddresses)).toEqual([true, false, false, true])
  })

  test('knows no secret of before unless there is one', () => {
    expect(readConfig({})).not.toHaveProperty('previousWebhookSecret')
    expect(readConfig({ WEBHOOK_SECRET_PREVIOUS: 'p'.repeat(16) }).previousWebhookSecret).toBe('p'.repeat(16))
  })

  test('has no key for the settings of clinics unless there is one, and the current one first', () => {
    const [SECRETS_KEY, SECRETS_KEY_PREVIOUS] = ['c'.repeat(32), 'p'.repeat(32)]
    expect(readConfig({}).secretsKeys).toEqual([])
    expect(readConfig({ SECRETS_KEY }).secretsKeys).toEqual([SECRETS_KEY])
    expect(readConfig({ SECRETS_KEY, SECRETS_KEY_PREVIOUS }).secretsKeys).toEqual([SECRETS_KEY, SECRETS_KEY_PREVIOUS])
  })

  test.each([
    [{ SECRETS_KEY: 'short' }, 'SECRETS_KEY is shorter than 32 characters'],
    [{ SECRETS_KEY: 'c'.repeat(32), SECRETS_KEY_PREVIOUS: 'short' }, 'SECRETS_KEY_PREVIOUS is shorter'],
    [{ SECRETS_KEY_PREVIOUS: 'p'.repeat(32) }, 'SECRETS_KEY_PREVIOUS is set without SECRETS_KEY'],
  ])('refuses the keys %j', (environment, problem) => {
    expect(() => readConfig(environment)).toThrow(problem)
  })

  test('takes a slash off the end of BASE_URL', () => {
    expect(readConfig({ BASE_URL: 'https://emr.example/fhir/' }).baseUrl).toBe('https://emr.example/fhir')
  })

  test('reads the proxies of TRUST_PROXY as subnets, and trusts none by default', () => {
    expect(readConfig({}).trustedProxies).toEqual([])
    const TRUST_PROXY = '10.0.0.2, 2001:db8::/32,loopback'
    expect(readConfig({ TRUST_PROXY }).trustedProxies).toEqual([
      ...['10.0.0.2/32', '2001:db8::/32'],
      ...['127.0.0.0/8', '::1/128'],
    ])
  })

  test('reads the origins of CORS_ORIGINS, and allows none by default', () => {
    expect(readConfig({}).corsOrigins).toEqual([])
    const CORS_ORIGINS = 'https://app.example, http://localhost:5173,http://[::1]:80,capacitor://localhost'
    expect(readConfig({ CORS_ORIGINS }).corsOrigins).toEqual(CORS_ORIGINS.split(/, ?/))
    expect(readConfig({ CORS_ORIGINS: '*' }).corsOrigins).toEqual(['*'])
  })

  test.each(['app.example', 'https://app.example/', 'https://App.example', 'https://*.example', 'null', 'https://a b'])(
    'refuses CORS_ORIGINS=%s, which is no origin as a browser writes it',
    (CORS_ORIGINS) => {
      expect(() => readConfig({ CORS_ORIGINS })).toThrow(`CORS_ORIGINS is '${CORS_ORIGINS}'; use origins such as`)
    },
  )

  test.each(['1', 'true', 'constructor', '10.0.0.0/33', '10.0.0/8', '::1/', '10.0.0.0/8/8'])(
    'refuses TRUST_PROXY=%s, which names no proxy',
    (TRUST_PROXY) => {
      expect(() => readConfig({ TRUST_PROXY })).toThrow(`TRUST_PROXY is '${TRUST_PROXY}'; use addresses of proxies`)
    },
  )

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
    [
      'a short secret of before',
      { WEBHOOK_SECRET_PREVIOUS: 'short' },
      'WEBHOOK_SECRET_PREVIOUS is shorter than 16 characters',
    ],
    ['calls that end at once', { CALL_IDLE_MINUTES: '0' }, "CALL_IDLE_MINUTES is '0'; use a whole number from 1"],
    ['calls that never end', { CALL_IDLE_MINUTES: '99999' }, 'CALL_IDLE_MINUTES'],
    ['private addresses that are neither on nor off', { ALLOW_PRIVATE_ADDRESSES: 'local' }, 'ALLOW_PRIVATE_ADDRESSES'],
    ['an address that is none', { BASE_URL: 'emr.example' }, 'BASE_URL'],
  ])('refuses %s with a sentence that names it', (_name, env, message) => {
    expect(() => readConfig(env)).toThrow(message)
  })

  test('exports traces and log lines to the endpoint that is named, each unless it is said otherwise', () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318'
    const traces = { ratio: 1, delayMs: 5_000 }
    const read = (environment: Record<string, string>) => readConfig(environment).telemetry
    expect(read({})).toBeUndefined()
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT })).toEqual({ traces, logs: true })
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBeUndefined()
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' })).toEqual({ logs: true })
    expect(read({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1/v1' })).toEqual({ traces, logs: false })
    const sampled = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT, ...sampled })).toMatchObject({ traces: { ratio: 0.25 } })
  })

  test('refuses what it cannot export by, and leaves it to other programs where it exports nothing', () => {
    const other = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_SAMPLER_ARG: 'all', OTEL_LOGS_EXPORTER: 'console' }
    expect(readConfig(other).telemetry).toBeUndefined()
    const wrong = () => readConfig({ ...other, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' })
    for (const name of Object.keys(other)) expect(wrong).toThrow(`${name} is '`)
    expect(() => readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: '127.0.0.1:4318' })).toThrow('an http(s) address')
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
