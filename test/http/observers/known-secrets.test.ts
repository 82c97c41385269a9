/**
 * Secrets that the server knows by value never reach the journal, the trail, the log or the settings' response, in any
 * form.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { DEMO_CLINIC } from '../../../src/demo/demo-clinic.ts'
import { openAuditStore, openJournalStore } from '../../../src/main/open-store.ts'
import { SERVICE } from '../../../src/repository/record-kinds.ts'
import { SILENT } from '../../support/audit.ts'
import { newLastingDatabaseUrl } from '../../support/database.ts'
import type { TestServer } from '../../support/server.ts'
import { logInAs, OTHER_CLINIC, startTwoClinics, withToken } from '../../support/two-clinics.ts'

const VOICE_SECRET = 'voice/secret+with&odd="signs"%41'
const CLINIC_SECRET = 'clinic-secret-with-40-characters-in-it'

const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const json = (text: string) => JSON.stringify(text).slice(1, -1)
const unicode = (text: string) =>
  [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** How a value may be written. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'percent-encoded': encodeURIComponent,
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'percent-encoded letter by letter': percent,
  'percent-encoded letter by letter, twice': (text) => percent(percent(text)),
  'as a form': (text) => new URLSearchParams({ a: text }).toString().slice(2),
  'as JSON': json,
  'as JSON twice': (text) => json(json(text)),
  'as JSON with escaped slashes': (text) => json(text).replaceAll('/', '\\/'),
  'as JSON in code points': unicode,
  'as JSON in code points, twice': (text) => json(unicode(text)),
  'as JSON, percent-encoded': (text) => encodeURIComponent(unicode(text)),
  'in decimal entities': (text) => [...text].map((one) => `&#${one.charCodeAt(0)};`).join(''),
  'in hexadecimal entities': (text) => [...text].map((one) => `&#x${one.charCodeAt(0).toString(16)};`).join(''),
  'in named entities': (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  'around a comment': (text) => `${text.slice(0, 9)}<!-- x -->${text.slice(9)}`,
  'in base64': base64,
  'in base64, one further': (text) => base64(`:${text}.`),
  'in base64, two further': (text) => base64(`u:${text}..`),
  'in base64 for addresses': (text) => Buffer.from(`u:${text}`).toString('base64url'),
  'in hexadecimal digits': (text) => Buffer.from(text).toString('hex'),
  'with zeros between': (text) => [...text].join('\0'),
}

let server: TestServer
const logged: string[] = []
let databaseUrl = ''
const secrets: Record<string, string> = {}

beforeAll(async () => {
  databaseUrl = await newLastingDatabaseUrl()
  const logger = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) })
  const env = { DATABASE_URL: databaseUrl, WEBHOOK_SECRET: VOICE_SECRET }
  const { server: started } = await startTwoClinics(env, { logger })
  const token = await logInAs(started, { username: 'secretive', clinic: DEMO_CLINIC, role: 'staff' })
  server = withToken(started, token)
  const settings = (await server.fhir('GET', `/clinics/${DEMO_CLINIC}/settings`)).body
  const callSecurity = { method: 'header', secrets: [CLINIC_SECRET] }
  await server.fhir('PUT', `/clinics/${DEMO_CLINIC}/settings`, { ...settings, callSecurity })
  // The journal looks up the secrets of a clinic anew after a quarter of a second.
  await sleep(500)
  Object.assign(secrets, { token, voice: VOICE_SECRET, clinic: CLINIC_SECRET })
})
afterAll(() => server.close())

type Send = (form: string) => Promise<unknown>

/** Where a form of a secret may stand in a request. */
const PLACES: Readonly<Record<string, Send>> = {
  'the query of a search': (form) => server.fhir('GET', `/Patient?family=${encodeURIComponent(form)}`),
  'the name of a parameter': (form) => server.fhir('GET', `/Patient?${encodeURIComponent(form)}=1`),
  'a path': (form) => server.fhir('GET', `/Patient/${encodeURIComponent(form)}`),
  'a path that is refused': (form) => server.fhir('GET', `/clinics/${encodeURIComponent(form)}/settings`),
  'a text of a resource': (form) =>
    server.fhir('POST', '/Basic', { resourceType: 'Basic', code: { text: `so: ${form} .` } }),
  'a name in JSON': (form) => server.fhir('POST', '/Patient', { resourceType: 'Patient', [form]: 1 }),
  'a header': (form) =>
    server.fhir('GET', '/Patient?_count=1', undefined, {
      'x-anything': encodeURIComponent(form),
      'x-run-id': `${encodeURIComponent(form)}`.slice(0, 120),
    }),
  'a form': (form) =>
    server.fhir('POST', '/Patient/_search', `family=${encodeURIComponent(form)}`, {
      'content-type': 'application/x-www-form-urlencoded',
    }),
  XML: (form) =>
    server.fhir(
      'POST',
      '/Basic',
      `<Basic xmlns="http://hl7.org/fhir"><language value="${form.replaceAll('"', '')}"/></Basic>`,
      {
        'content-type': 'application/fhir+xml',
      },
    ),
  'an account': (form) => server.fhir('GET', `/accounts/${encodeURIComponent(form)}`),
  'the settings': (form) => server.fhir('PUT', `/clinics/${DEMO_CLINIC}/settings`, { name: form, crm: form }),
  'an entry of a batch': (form) =>
    server.fhir('POST', '/', {
      resourceType: 'Bundle',
      type: 'batch',
      entry: [{ request: { method: 'GET', url: `Patient?family=${encodeURIComponent(form)}` } }],
    }),
}

/** All that journal, trail and log hold, as it is stored. */
async function recorded(): Promise<string> {
  const journal = await openJournalStore(databaseUrl, SILENT)
  const trail = await openAuditStore(databaseUrl, { days: 90 }, SILENT)
  const parts: string[] = [...logged]
  for (const clinic of [DEMO_CLINIC, OTHER_CLINIC, SERVICE]) {
    const { entries } = await journal.scan({ clinic, order: 'oldest first', filter: {}, limit: 10_000 })
    for (const { summary } of entries) {
      const { id } = JSON.parse(summary)
      parts.push(summary, (id === undefined ? undefined : await journal.read(clinic, id))?.detail ?? '')
    }
    const scan = { clinic, order: 'oldest first', from: 0, to: Date.now() + 1, limit: 10_000 } as const
    for (const { events } of (await trail.scan(scan)).blocks) parts.push(events)
  }
  await journal.close()
  await trail.close()
  return parts.join('\n')
}

describe('a secret that the server knows', () => {
  test.each(Object.keys(PLACES))('is kept nowhere that comes, in each of its forms, in %s', async (place) => {
    const forms = Object.values(secrets).flatMap((secret) => Object.values(FORMS).map((write) => write(secret)))
    expect(forms.length).toBeGreaterThanOrEqual(60)
    for (const form of forms) await PLACES[place]?.(form).catch(() => undefined)
    await server.fhir('GET', `/clinics/${DEMO_CLINIC}/exchanges?count=1`)
    await server.fhir('GET', '/AuditEvent?_count=1')
    const text = await recorded()
    expect(text).toContain('Patient')
    for (const form of forms) {
      // In an address it is percent-encoded once more, and what is stored is JSON.
      for (const written of [form, encodeURIComponent(form), json(form), json(json(form))]) {
        const at = text.indexOf(written)
        expect(at < 0 ? '' : text.slice(Math.max(0, at - 300), at + 400)).toBe('')
      }
    }
  })
})
