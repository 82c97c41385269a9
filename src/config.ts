/** The configuration: the only reader of the environment. All problems are named at once, and stop the start. */
import { randomBytes } from 'node:crypto'

export interface Config {
  readonly port: number
  readonly host: string
  /** The address clients use, without a trailing slash; undefined: taken from each request (X-Forwarded-*, Host). */
  readonly baseUrl: string | undefined
  readonly databaseUrl: string
  readonly jwt: {
    /** HS256 secret with which the service signs its own tokens, and checks them unless jwksUrl is set. */
    readonly secret: string
    readonly jwksUrl?: string
    readonly issuer?: string
    readonly audience?: string
    readonly lifetimeSeconds: number
  }
  readonly webhookSecret: string
  readonly demo: boolean
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  /** Interactions not offered, as `Type.code` or `*.code`. */
  readonly disabledInteractions: readonly string[]
  /** Tool requests may name their call inside the body (for platforms whose own server sets message.call). */
  readonly trustBodyCallMetadata: boolean
  readonly limits: Limits
}

export interface Limits {
  /** Largest request body in bytes; more is 413. */
  readonly bodyBytes: number
  readonly bundleEntries: number
  /** Deepest nesting of a JSON body. */
  readonly jsonDepth: number
  readonly defaultCount: number
  readonly maxCount: number
  /** Resources that _include and _revinclude add to a page at most. */
  readonly includes: number
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** @throws Error listing every problem, one a line. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const production = env.NODE_ENV === 'production'
  const flag = (name: string, fallback: boolean): boolean => {
    const value = env[name]?.toLowerCase()
    if (value === undefined || value === '') return fallback
    if (['1', 'true', 'on', 'yes'].includes(value)) return true
    if (!['0', 'false', 'off', 'no'].includes(value)) problems.push(`${name} is '${env[name]}'; use on or off`)
    return false
  }
  const integer = (name: string, fallback: number, low: number, high: number): number => {
    const text = env[name]
    if (text === undefined || text === '') return fallback
    const value = Number(text)
    if (!Number.isInteger(value) || value < low || value > high) {
      problems.push(`${name} is '${text}'; use a whole number from ${low} to ${high}`)
      return fallback
    }
    return value
  }
  const url = (name: string): string | undefined => {
    const text = env[name]
    if (text === undefined || text === '') return undefined
    if (!/^https?:\/\//.test(text) || !URL.canParse(text)) problems.push(`${name} is '${text}'; use an http(s) address`)
    return text.replace(/\/+$/, '')
  }
  const secret = (name: string, demoDefault: string, minimum: number): string => {
    const text = env[name]
    if (text === undefined || text === '') {
      if (demo && !production) return demoDefault
      problems.push(`${name} is missing; outside demo mode it must be set, with at least ${minimum} characters`)
      return ''
    }
    if ((!demo || production) && (text === demoDefault || text.length < minimum)) {
      problems.push(`${name} is the demo default or shorter than ${minimum} characters; set a random one`)
    }
    return text
  }

  const demo = flag('DEMO', !production)
  const databaseUrl = env.DATABASE_URL || 'sqlite:data/emr.db'
  if (!/^sqlite:.+/.test(databaseUrl)) {
    problems.push(`DATABASE_URL is '${databaseUrl}'; use sqlite:<file> or sqlite::memory:`)
  }
  const logLevel = LOG_LEVELS.find((level) => level === (env.LOG_LEVEL || 'info'))
  if (logLevel === undefined) problems.push(`LOG_LEVEL is '${env.LOG_LEVEL}'; use one of ${LOG_LEVELS.join(', ')}`)
  const jwksUrl = url('JWKS_URL')
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = env
  if (jwksUrl !== undefined && (!issuer || !audience)) {
    problems.push('JWKS_URL is set, so JWT_ISSUER and JWT_AUDIENCE must be set too: tokens are checked against both')
  }

  const config: Config = {
    port: integer('PORT', 3000, 0, 65_535),
    host: env.HOST || '127.0.0.1',
    baseUrl: url('BASE_URL'),
    databaseUrl,
    jwt: {
      secret: secret('JWT_SECRET', randomBytes(32).toString('base64url'), 32),
      lifetimeSeconds: integer('SESSION_SECONDS', 8 * 3600, 60, 30 * 86_400),
      ...(jwksUrl === undefined ? {} : { jwksUrl }),
      ...(issuer ? { issuer } : {}),
      ...(audience ? { audience } : {}),
    },
    webhookSecret: secret('WEBHOOK_SECRET', 'demo-secret', 16),
    demo,
    logLevel: logLevel ?? 'info',
    disabledInteractions: (env.DISABLED_INTERACTIONS ?? '').split(',').map((rule) => rule.trim()).filter(Boolean),
    trustBodyCallMetadata: flag('TRUST_BODY_CALL_METADATA', false),
    limits: {
      bodyBytes: integer('MAX_BODY_BYTES', 16 * 1024 * 1024, 1024, 1024 * 1024 * 1024),
      bundleEntries: integer('MAX_BUNDLE_ENTRIES', 5000, 1, 1_000_000),
      jsonDepth: integer('MAX_JSON_DEPTH', 64, 16, 1000),
      defaultCount: integer('DEFAULT_COUNT', 20, 1, 10_000),
      maxCount: integer('MAX_COUNT', 1000, 1, 10_000),
      includes: integer('MAX_INCLUDES', 1000, 1, 100_000),
    },
  }
  if (problems.length > 0) throw new Error(`The configuration has problems:\n- ${problems.join('\n- ')}`)
  return config
}
