/**
 * The configuration, read from environment variables only here. The server does not start when there are problems,
 * which are reported together.
 */
import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'

export interface Config {
  readonly port: number
  readonly host: string
  /** The URL that clients use, without a trailing slash; undefined: derived from each request (Host, X-Forwarded-*). */
  readonly baseUrl: string | undefined
  /** Subnets of the proxies whose X-Forwarded-* headers count: `10.0.0.0/8`, `::1/128`. */
  readonly trustedProxies: readonly string[]
  /** Origins of web pages that may use the server from a browser; `*`: any. */
  readonly corsOrigins: readonly string[]
  readonly databaseUrl: string
  /** Number of server processes that share the port. */
  readonly workers: number
  /** Most threads of each process for requests that would hold its event loop for too long; 0: none. */
  readonly workThreads: number
  readonly jwt: {
    /** HS256 secret to sign our own tokens, and to verify them unless jwksUrl is set. */
    readonly secret: string
    readonly jwksUrl?: string
    readonly issuer?: string
    readonly audience?: string
    readonly lifetimeSeconds: number
  }
  readonly webhookSecret: string
  /** The previous secret, which is also accepted while platforms change over. */
  readonly previousWebhookSecret?: string
  /** Keys that encrypt the settings of clinics in the store, the current one first; none: they are stored in clear. */
  readonly secretsKeys: readonly string[]
  /** Minutes without a tool call after which a live call counts as ended. */
  readonly callIdleMinutes: number
  /** The operator that the first start creates. */
  readonly firstOperator?: FirstOperator
  readonly demo: boolean
  /** Whether clinics can be rehearsed in: reset, cloned, given another time and faults. docs/rehearsal.md */
  readonly rehearsal: boolean
  /** Where metrics are served, apart from everything else; absent: nowhere. */
  readonly metrics?: { readonly host: string; readonly port: number }
  /** Exported by OpenTelemetry; absent: nothing. docs/traces.md */
  readonly telemetry?: {
    /** The part of new traces that is recorded, from 0 to 1; milliseconds between two batches of spans. */
    readonly traces?: { readonly ratio: number; readonly delayMs: number }
    readonly logs: boolean
  }
  /** Whether the dashboard is built and served. */
  readonly dashboard: boolean
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  /** Interactions to disable, as `Type.code` or `*.code`. */
  readonly disabledInteractions: readonly string[]
  /** Modules that extend the server: files or packages, resolved from the working directory. */
  readonly extensions: readonly string[]
  /** The default for clinics without a policy: treatment of a resource that violates a profile it declares. */
  readonly profilePolicy: (typeof PROFILE_POLICIES)[number]
  /** The default for clinics without a setting: treatment of a search with an unknown parameter. */
  readonly searchHandling: (typeof SEARCH_HANDLINGS)[number]
  /** Whether to index the words of resources, for `_text` and `_content`. */
  readonly fullText: boolean
  /** Whether tool requests may identify their call in the body (for platforms whose own server sets message.call). */
  readonly trustBodyCallMetadata: boolean
  /** Addresses below which files are imported from, each with a slash at its end. */
  readonly importSources: readonly string[]
  /** Whether connectors may reach loopback, private and other addresses that are not public. */
  readonly allowPrivateAddresses: boolean
  /** The audit trail; undefined: nothing is audited. */
  readonly audit: { readonly days: number } | undefined
  /** For clinics without settings of their own: how much the journal keeps of their exchanges. */
  readonly journal: {
    readonly mode: (typeof JOURNAL_MODES)[number]
    readonly days: number
    readonly entries: number
  }
  readonly limits: Limits
}

export interface FirstOperator {
  readonly username: string
  readonly password: string
}

export interface Limits {
  /** Maximum size of a request body in bytes; larger ones get 413. */
  readonly bodyBytes: number
  /** Maximum size in bytes of a Binary that is sent as its own bytes. */
  readonly binaryBytes: number
  /** Maximum size in bytes of a file that is imported from another address. */
  readonly importBytes: number
  /** Maximum size in bytes of all request bodies that are being received or processed. */
  readonly bodiesInFlightBytes: number
  /** Maximum number of requests in flight, in each process: further ones get 429. */
  readonly requestsPerClinic: number
  readonly requestsPerToken: number
  /** Requests per second, ten times as many at once; 0: no limit. */
  readonly ratePerClinic: number
  readonly ratePerToken: number
  readonly bundleEntries: number
  /** Maximum nesting of a JSON body. */
  readonly jsonDepth: number
  readonly defaultCount: number
  readonly maxCount: number
  /** Maximum number of resources that _include and _revinclude add to a page. */
  readonly includes: number
  /** Milliseconds that a request may take in a work thread, and the same for all its long reads of the store. */
  readonly workMilliseconds: number
  /** Megabytes of objects that a work thread may have. */
  readonly workMegabytes: number
}

const PROFILE_POLICIES = ['off', 'warn', 'reject'] as const
const SEARCH_HANDLINGS = ['strict', 'lenient'] as const
const JOURNAL_MODES = ['full', 'headers', 'off'] as const
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const EXPORTERS = ['otlp', 'none'] as const
const SAMPLERS = ['parentbased_always_on', 'parentbased_traceidratio'] as const

const DATABASE_URL = /^(?:sqlite:|mongodb(?:\+srv)?:\/\/)./
const DATABASE_URLS = 'sqlite:<file>, sqlite::memory: or mongodb://<host>/<database>?replicaSet=<name>'

/** As browsers write it: scheme, host and port in lower case, nothing after them. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(?::\d{1,5})?$|^[a-z][a-z0-9+.-]*:\/\/\[[\da-f:]+\](?::\d{1,5})?$/

/** Names for subnets in TRUST_PROXY, as in other servers. */
const SUBNETS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Values of NODE_ENV that allow demo mode; any other value means production. */
const DEMO_ENVIRONMENTS: ReadonlySet<string> = new Set(['development', 'test'])

type Environment = Readonly<Record<string, string | undefined>>

const isProduction = ({ NODE_ENV }: Environment): boolean => !DEMO_ENVIRONMENTS.has(NODE_ENV || 'development')

/** @throws Error listing every problem, one per line */
export function readConfig(environment: Environment = process.env): Config {
  const read = new EnvironmentReader(environment)
  const host = environment.HOST || '127.0.0.1'
  const demo = read.demo(host)
  const secrets = demo ? 'may be absent' : 'must be set'
  const databaseUrl = read.matching('DATABASE_URL', 'sqlite:data/emr.db', DATABASE_URL, DATABASE_URLS)
  const config: Config = {
    port: read.integer('PORT', 3000, 0, 65_535),
    host,
    baseUrl: read.url('BASE_URL'),
    trustedProxies: read.subnets('TRUST_PROXY'),
    corsOrigins: read.origins('CORS_ORIGINS'),
    databaseUrl,
    workers: read.integer('WORKERS', 1, 1, 64),
    workThreads: databaseUrl === 'sqlite::memory:' ? 0 : read.integer('WORK_THREADS', 3, 0, 64),
    jwt: {
      secret: read.secret('JWT_SECRET', randomBytes(32).toString('base64url'), 32, secrets),
      lifetimeSeconds: read.integer('SESSION_SECONDS', 8 * 3600, 60, 30 * 86_400),
      ...read.foreignIssuer(),
    },
    webhookSecret: read.secret('WEBHOOK_SECRET', 'demo-secret', 16, secrets),
    ...read.previousSecret('WEBHOOK_SECRET_PREVIOUS', 16),
    secretsKeys: read.secretsKeys(),
    callIdleMinutes: read.integer('CALL_IDLE_MINUTES', 120, 1, 10_080),
    ...read.firstOperator(),
    demo,
    rehearsal: read.flag('REHEARSAL', !isProduction(environment)),
    ...read.metrics(),
    ...read.telemetry(),
    dashboard: read.flag('DASHBOARD', true),
    logLevel: read.choice('LOG_LEVEL', 'info', LOG_LEVELS),
    disabledInteractions: read.list('DISABLED_INTERACTIONS'),
    extensions: read.list('EXTENSIONS'),
    profilePolicy: read.choice('PROFILE_POLICY', 'warn', PROFILE_POLICIES),
    searchHandling: read.choice('SEARCH_HANDLING', 'strict', SEARCH_HANDLINGS),
    fullText: read.flag('FULL_TEXT', true),
    trustBodyCallMetadata: read.flag('TRUST_BODY_CALL_METADATA', false),
    importSources: read.addresses('IMPORT_SOURCES'),
    allowPrivateAddresses: read.flag('ALLOW_PRIVATE_ADDRESSES', demo),
    audit: read.flag('AUDIT', true) ? { days: read.integer('AUDIT_DAYS', 90, 1, 36_500) } : undefined,
    journal: read.journal(demo),
    limits: limitsIn(read),
  }
  if (config.workers > 1 && config.databaseUrl === 'sqlite::memory:') {
    read.add(
      `WORKERS is ${config.workers}, but sqlite::memory: is the memory of one process; name a file in DATABASE_URL, or set WORKERS to 1`,
    )
  }
  read.throwProblems()
  return config
}

function limitsIn(read: EnvironmentReader): Limits {
  // V8 limits strings to half a gigabyte.
  const bodyBytes = read.integer('MAX_BODY_BYTES', 32 * 1024 * 1024, 1024, 256 * 1024 * 1024)
  return {
    bodyBytes,
    binaryBytes: read.integer('MAX_BINARY_BYTES', 100 * 1024 * 1024, 1024, 16 * 1024 ** 3),
    importBytes: read.integer('MAX_IMPORT_BYTES', 4 * 1024 ** 3, 1024, 1024 ** 4),
    bodiesInFlightBytes: read.integer('MAX_BODIES_IN_FLIGHT_BYTES', 3 * bodyBytes, bodyBytes, 4 * 1024 ** 3),
    requestsPerClinic: read.integer('MAX_REQUESTS_PER_CLINIC', 512, 1, 1_000_000),
    requestsPerToken: read.integer('MAX_REQUESTS_PER_TOKEN', 256, 1, 1_000_000),
    ratePerClinic: read.integer('RATE_PER_CLINIC', 100_000, 0, 1_000_000),
    ratePerToken: read.integer('RATE_PER_TOKEN', 100_000, 0, 1_000_000),
    bundleEntries: read.integer('MAX_BUNDLE_ENTRIES', 5000, 1, 1_000_000),
    jsonDepth: read.integer('MAX_JSON_DEPTH', 64, 16, 1000),
    defaultCount: read.integer('DEFAULT_COUNT', 20, 1, 10_000),
    maxCount: read.integer('MAX_COUNT', 1000, 1, 10_000),
    includes: read.integer('MAX_INCLUDES', 1000, 1, 100_000),
    workMilliseconds: read.integer('MAX_WORK_MS', 8_000, 100, 600_000),
    workMegabytes: read.integer('MAX_WORK_MB', 1024, 64, 16_384),
  }
}

/** Reads environment variables and collects their problems; an empty variable counts as absent. */
class EnvironmentReader {
  readonly #environment: Environment
  readonly #problems: string[] = []

  constructor(environment: Environment) {
    this.#environment = environment
  }

  add(problem: string): void {
    this.#problems.push(problem)
  }

  /** @throws Error when there was any problem */
  throwProblems(): void {
    if (this.#problems.length > 0) throw new Error(`The configuration has problems:\n- ${this.#problems.join('\n- ')}`)
  }

  flag(name: string, fallback: boolean, expected = 'on or off'): boolean {
    const value = this.#environment[name]?.toLowerCase()
    if (!value) return fallback
    if (['1', 'true', 'on', 'yes'].includes(value)) return true
    if (!['0', 'false', 'off', 'no'].includes(value)) this.#wrong(name, expected)
    return false
  }

  /**
   * Demo mode: on only where NODE_ENV allows it, and where strangers cannot use the published passwords, unless that is
   * wanted.
   */
  demo(host: string): boolean {
    const environment = this.#environment.NODE_ENV
    const inProduction = isProduction(this.#environment)
    const isPublic = this.#environment.DEMO?.toLowerCase() === 'public'
    const isOn = isPublic || this.flag('DEMO', !inProduction, 'on, off or public')
    if (!isOn) return false
    if (inProduction) {
      this.add(
        `DEMO is '${this.#environment.DEMO}', but NODE_ENV is '${environment}', which means production; ` +
          `demo mode is for ${[...DEMO_ENVIRONMENTS].join(' and ')}, so set DEMO to off or NODE_ENV to one of these`,
      )
      return false
    }
    if (!isPublic && !isLoopback(host)) {
      this.add(
        `HOST is '${host}', where others can reach the demo, whose passwords are published; ` +
          'set DEMO to off, or to public if that is what you want',
      )
    }
    return true
  }

  integer(name: string, fallback: number, low: number, high: number): number {
    const text = this.#environment[name]
    if (!text) return fallback
    const value = Number(text)
    if (!Number.isInteger(value) || value < low || value > high)
      this.#wrong(name, `a whole number from ${low} to ${high}`)
    return value
  }

  metrics(): Pick<Config, 'metrics'> {
    const port = this.integer('METRICS_PORT', 0, 0, 65_535)
    const host = this.#environment.METRICS_HOST || '127.0.0.1'
    return port === 0 ? {} : { metrics: { host, port } }
  }

  /** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
  telemetry(): Pick<Config, 'telemetry'> {
    const to = (signal: string) => this.url(`OTEL_EXPORTER_OTLP_${signal}ENDPOINT`)
    const [all, tracesTo, logsTo] = [to(''), to('TRACES_'), to('LOGS_')]
    const isOff = this.flag('OTEL_SDK_DISABLED', false, 'true or false')
    // Other programs have the variables below too: they matter where something is exported.
    if (isOff || (all ?? tracesTo ?? logsTo) === undefined) return {}
    const isWanted = (signal: string, endpoint = all): boolean =>
      this.choice(`OTEL_${signal}_EXPORTER`, 'otlp', EXPORTERS) === 'otlp' && endpoint !== undefined
    const [traces, logs] = [isWanted('TRACES', tracesTo), isWanted('LOGS', logsTo)]
    this.choice('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json', ['http/json'])
    const sampling = {
      ratio: this.#sampledRatio(),
      delayMs: this.integer('OTEL_BSP_SCHEDULE_DELAY', 5_000, 1, 600_000),
    }
    return traces || logs ? { telemetry: { ...(traces && { traces: sampling }), logs } } : {}
  }

  #sampledRatio(): number {
    const sampler = this.choice('OTEL_TRACES_SAMPLER', 'parentbased_always_on', SAMPLERS)
    const text = this.#environment.OTEL_TRACES_SAMPLER_ARG
    const ratio = text ? Number(text) : 1
    if (!(ratio >= 0 && ratio <= 1)) this.#wrong('OTEL_TRACES_SAMPLER_ARG', 'a number from 0 to 1')
    return sampler === 'parentbased_always_on' ? 1 : ratio
  }

  matching(name: string, fallback: string, pattern: RegExp, expected: string): string {
    const text = this.#environment[name] || fallback
    if (!pattern.test(text)) this.#wrong(name, expected)
    return text
  }

  choice<T extends string>(name: string, fallback: T, choices: readonly T[]): T {
    const text = this.#environment[name] || fallback
    const choice = choices.find((candidate) => candidate === text)
    if (choice === undefined) this.#wrong(name, `one of ${choices.join(', ')}`)
    return choice ?? fallback
  }

  list(name: string): readonly string[] {
    const items = (this.#environment[name] ?? '').split(',')
    return items.map((item) => item.trim()).filter(Boolean)
  }

  /** Each as `address/bits`. */
  subnets(name: string): readonly string[] {
    return this.list(name).flatMap((item) => {
      const named = Object.hasOwn(SUBNETS, item) ? SUBNETS[item] : undefined
      const subnet = named ?? subnetOf(item)
      if (subnet === undefined) {
        const names = Object.keys(SUBNETS).join(', ')
        this.#wrong(name, `addresses of proxies (10.0.0.2), subnets (10.0.0.0/8) or ${names}, with commas between`)
      }
      return subnet ?? []
    })
  }

  origins(name: string): readonly string[] {
    const origins = this.list(name)
    const wrong = origins.find((origin) => origin !== '*' && !ORIGIN.test(origin))
    if (wrong !== undefined) this.#wrong(name, 'origins such as https://app.example:8443 with commas between, or *')
    return origins
  }

  /** Each with a slash at its end. */
  addresses(name: string): readonly string[] {
    const texts = this.list(name).map((text) => text.replace(/\/*$/, '/'))
    if (!texts.every((text) => /^https?:\/\/[^?#@]+$/.test(text) && URL.canParse(text)))
      this.#wrong(name, 'http(s) addresses such as https://files.example/clinic-a/, with commas between')
    return texts
  }

  /** Without a trailing slash. */
  url(name: string): string | undefined {
    const text = this.#environment[name]
    if (!text) return undefined
    if (!/^https?:\/\//.test(text) || !URL.canParse(text)) this.#wrong(name, 'an http(s) address')
    return text.replace(/\/+$/, '')
  }

  secret(name: string, demoDefault: string, minimum: number, presence: 'may be absent' | 'must be set'): string {
    const text = this.#environment[name]
    if (presence === 'may be absent') return text || demoDefault
    if (!text) {
      this.#problems.push(`${name} is missing; outside demo mode it must be set, with at least ${minimum} characters`)
    } else if (text === demoDefault || text.length < minimum) {
      this.#problems.push(`${name} is the demo default or shorter than ${minimum} characters; set a random one`)
    }
    return text ?? ''
  }

  previousSecret(name: string, minimum: number): Pick<Config, 'previousWebhookSecret'> {
    const text = this.#optionalSecret(name, minimum)
    return text === undefined ? {} : { previousWebhookSecret: text }
  }

  secretsKeys(): readonly string[] {
    const current = this.#optionalSecret('SECRETS_KEY', 32)
    const previous = this.#optionalSecret('SECRETS_KEY_PREVIOUS', 32)
    if (current === undefined && previous !== undefined) {
      this.add(
        'SECRETS_KEY_PREVIOUS is set without SECRETS_KEY; set SECRETS_KEY to the key that new settings are stored with',
      )
    }
    return [current, previous].filter((key) => key !== undefined)
  }

  #optionalSecret(name: string, minimum: number): string | undefined {
    const text = this.#environment[name]
    if (!text) return undefined
    if (text.length < minimum)
      this.#problems.push(`${name} is shorter than ${minimum} characters; leave it out, or set a longer one`)
    return text
  }

  journal(demo: boolean): Config['journal'] {
    return {
      mode: this.choice('JOURNAL', demo ? 'full' : 'off', JOURNAL_MODES),
      days: this.integer('JOURNAL_DAYS', 7, 1, 3_650),
      entries: this.integer('JOURNAL_ENTRIES', 10_000, 100, 1_000_000),
    }
  }

  firstOperator(): Pick<Config, 'firstOperator'> {
    const { OPERATOR_USERNAME: username, OPERATOR_PASSWORD: password } = this.#environment
    if (username && password) return { firstOperator: { username, password } }
    if (username || password) {
      this.add('OPERATOR_USERNAME and OPERATOR_PASSWORD are the first operator, so set both or neither')
    }
    return {}
  }

  foreignIssuer(): Pick<Config['jwt'], 'jwksUrl' | 'issuer' | 'audience'> {
    const jwksUrl = this.url('JWKS_URL')
    const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = this.#environment
    if (jwksUrl !== undefined && !(issuer && audience)) {
      this.#problems.push(
        'JWKS_URL is set, so JWT_ISSUER and JWT_AUDIENCE must be set: tokens are checked against both',
      )
    }
    return { ...(jwksUrl && { jwksUrl }), ...(issuer && { issuer }), ...(audience && { audience }) }
  }

  #wrong(name: string, expected: string): void {
    // A URL may include a password.
    const value = this.#environment[name]?.replace(/\/\/[^@]*@/, '//…@')
    this.#problems.push(`${name} is '${value}'; use ${expected}`)
  }
}

/** Undefined for a text that is not an IP address, with or without the number of bits of its prefix. */
function subnetOf(text: string): string | undefined {
  const [address = '', bits, ...rest] = text.split('/')
  const length = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  if (length === 0 || rest.length > 0) return undefined
  if (bits === undefined) return `${address}/${length}`
  return /^\d{1,3}$/.test(bits) && Number(bits) <= length ? text : undefined
}

export const isLoopback = (host: string): boolean =>
  host.toLowerCase() === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
