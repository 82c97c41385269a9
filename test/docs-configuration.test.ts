/**
 * The tables of environment variables in README and docs/ list all variables that the server reads, with their
 * defaults.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { type Config, readConfig } from '../src/config.ts'

const ROOT = join(import.meta.dirname, '..')
const HEADER = /^\| variable \| default \|.*\n\|[-|]+\n/m
const MIB = 1024 * 1024

interface Documented {
  readonly name: string
  /** As it is written, without backquotes. */
  readonly text: string
}

const rowsIn = (page: string): readonly string[] =>
  readFileSync(join(ROOT, page), 'utf8')
    .split(HEADER)
    .slice(1)
    .flatMap((behind) => behind.slice(0, behind.search(/^(?!\|)/m)).split('\n'))
    .filter(Boolean)

const quotedIn = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)

/** `PORT`, `HOST` have two defaults; `RATE_PER_CLINIC`, `RATE_PER_TOKEN` may have one in common. */
function documentedIn(page: string): readonly Documented[] {
  return rowsIn(page).flatMap((row) => {
    const [, variables = '', defaults = ''] = row.split('|')
    const names = quotedIn(variables)
    const parts = names.length === 1 ? [defaults] : defaults.split(defaults.includes(';') ? ';' : ',')
    return names.map((name, index) => ({ name, text: (parts[index] ?? parts[0] ?? '').trim() }))
  })
}

/** The default as a value of the environment; undefined where it is described in words, or there is none. */
function environmentValue(text: string): string | undefined {
  const [, mebibytes] = /^(\d+) MiB$/.exec(text) ?? []
  if (mebibytes !== undefined) return String(Number(mebibytes) * MIB)
  const [, times] = /^`(\d+) × MAX_BODY_BYTES`$/.exec(text) ?? []
  if (times !== undefined) return String(Number(times) * readConfig({}).limits.bodyBytes)
  return /^(?:demo: )?(?:`([^`]+)`|(on|off)\b)/.exec(text)?.slice(1).find(Boolean)
}

/** Without the secret of the demo, which is a new one each time. */
const comparable = (config: Config): Config => ({ ...config, jwt: { ...config.jwt, secret: '' } })

const pages = globSync('{README.md,docs/**/*.md}', { cwd: ROOT }).filter((page) => rowsIn(page).length > 0)

test('README has every variable that the server reads, and no other', () => {
  const read = new Set<string>()
  // Without it, the others of OpenTelemetry are not read.
  const given: Record<string, string | undefined> = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  const get = (_: typeof given, name: string | symbol) => {
    read.add(String(name))
    return given[String(name)]
  }
  readConfig(new Proxy(given, { get }))
  // README describes NODE_ENV in the row of DEMO.
  read.delete('NODE_ENV')
  expect(
    documentedIn('README.md')
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...read].sort())
})

describe.each(pages)('%s tells the default of', (page) => {
  const told = documentedIn(page).flatMap(({ name, text }) => {
    const value = environmentValue(text)
    return value === undefined ? [] : [[name, value] as const]
  })
  test.each(told)('%s: %s', (name, value) => {
    expect(comparable(readConfig({ [name]: value }))).toEqual(comparable(readConfig({})))
  })
})

test('README tells a default of every variable, but for those that have none that is always the same', () => {
  const without = documentedIn('README.md').filter(({ text }) => environmentValue(text) === undefined)
  expect(without.map(({ name, text }) => `${name} ${text}`.trim())).toEqual([
    'BASE_URL from the request',
    ...['TRUST_PROXY', 'CORS_ORIGINS', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
    ...['OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', 'OPERATOR_USERNAME', 'OPERATOR_PASSWORD'],
    'JWT_SECRET demo: random at each start',
    ...[
      'JWKS_URL',
      'JWT_ISSUER',
      'JWT_AUDIENCE',
      'WEBHOOK_SECRET_PREVIOUS',
      'SECRETS_KEY',
      'SECRETS_KEY_PREVIOUS',
      'IMPORT_SOURCES',
      'DISABLED_INTERACTIONS',
      'EXTENSIONS',
    ],
  ])
})
