/** Secrets in the settings of clinics, as real processes store them with SECRETS_KEY and without. */
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { openStore } from '../../src/main/open-store.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, launch, type Started, start, stop } from '../support/server-process.ts'

endProcessesAfterEach()

const JWT_SECRET = 'one secret for all servers of a test'
const KEY = 'k'.repeat(32)
const NEXT_KEY = 'n'.repeat(32)
const CALL_SECRET = 'call-secret-of-one-clinic-in-40-letters'
const SETTINGS = `/clinics/${DEMO_CLINIC}/settings`

async function setSecret({ url }: Started): Promise<void> {
  const credentials = { username: 'admin', password: 'admin' }
  const json = { 'content-type': 'application/json' }
  const { token } = (await request(url, 'POST', '/session', credentials, json)).body
  const headers = { authorization: `Bearer ${token}`, ...json }
  const settings = (await request(url, 'GET', SETTINGS, undefined, headers)).body
  const callSecurity = { method: 'header', secrets: [CALL_SECRET] }
  expect((await request(url, 'PUT', SETTINGS, { ...settings, callSecurity }, headers)).status).toBe(200)
}

/** Whether a tool call with this secret of the clinic is carried out. */
async function isAccepted({ url }: Started, secret: string): Promise<boolean> {
  const call = { 'x-voice-secret': 'demo-secret', 'x-call-id': randomUUID(), 'x-call-to': '+12125550100' }
  const headers = { 'content-type': 'application/json', 'x-clinic-secret': secret, ...call }
  const toolCalls = [{ id: 'one', function: { arguments: { reason: 'a bill' } } }]
  const { body } = await request(url, 'POST', '/patient-journey/escalate_billing', { message: { toolCalls } }, headers)
  return JSON.parse(body.results[0].result).success
}

/** All that the store holds: its files, or for MongoDB the record. */
async function storedText(databaseUrl: string): Promise<string> {
  const store = await openStore(databaseUrl)
  const record = JSON.stringify(await store.readRecord(DEMO_CLINIC, 'settings', 'settings'))
  await store.close()
  if (!databaseUrl.startsWith('sqlite:')) return record
  const folder = dirname(databaseUrl.slice('sqlite:'.length))
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  return record + files.map(({ name }) => readFileSync(join(folder, name), 'latin1')).join('\n')
}

describe('the secrets in the settings of clinics', () => {
  test('are nowhere in the store with SECRETS_KEY, and hold in the next process', async () => {
    const environment = { DATABASE_URL: await newLastingDatabaseUrl(), JWT_SECRET, SECRETS_KEY: KEY }
    const first = await start(environment)
    await setSecret(first)
    expect(first.output()).not.toContain('SECRETS_KEY is not set')
    await stop(first, 'SIGTERM')
    expect(await storedText(environment.DATABASE_URL)).not.toContain(CALL_SECRET)
    const second = await start({ ...environment, WORKERS: '2' })
    expect(await isAccepted(second, CALL_SECRET)).toBe(true)
    expect(await isAccepted(second, 'another-secret-of-40-letters-than-that')).toBe(false)
    await stop(second, 'SIGTERM')
  })

  test('are in clear without it, which the start says; a start with a key encrypts them, and with the next one again', async () => {
    const environment = { DATABASE_URL: await newLastingDatabaseUrl(), JWT_SECRET }
    const inClear = await start(environment)
    await setSecret(inClear)
    expect(inClear.output()).toContain('SECRETS_KEY is not set')
    await stop(inClear, 'SIGTERM')
    expect(await storedText(environment.DATABASE_URL)).toContain(CALL_SECRET)
    const stored: string[] = []
    for (const keys of [{ SECRETS_KEY: KEY }, { SECRETS_KEY: NEXT_KEY, SECRETS_KEY_PREVIOUS: KEY }]) {
      const server = await start({ ...environment, ...keys })
      expect(server.output()).toContain('the settings of clinics were encrypted in the store')
      expect(await isAccepted(server, CALL_SECRET)).toBe(true)
      await stop(server, 'SIGTERM')
      const store = await openStore(environment.DATABASE_URL)
      stored.push(JSON.stringify(await store.readRecord(DEMO_CLINIC, 'settings', 'settings')))
      await store.close()
    }
    expect(stored.join()).not.toContain(CALL_SECRET)
    const withNext = await start({ ...environment, SECRETS_KEY: NEXT_KEY })
    expect(withNext.output()).not.toContain('were encrypted in the store')
    expect(await isAccepted(withNext, CALL_SECRET)).toBe(true)
    await stop(withNext, 'SIGTERM')
  })

  test.each([
    ['without the key', {}],
    ['with another key', { SECRETS_KEY: NEXT_KEY }],
  ])('end the start of a server %s, with a sentence that says what to set', async (_, keys) => {
    const environment = { DATABASE_URL: await newLastingDatabaseUrl(), JWT_SECRET }
    const first = await start({ ...environment, SECRETS_KEY: KEY })
    await setSecret(first)
    await stop(first, 'SIGTERM')
    const refused = launch({ ...environment, ...keys })
    expect(await refused.exited).toBe(1)
    expect(refused.output()).toContain(
      `The settings of clinic '${DEMO_CLINIC}' are encrypted with another key; set SECRETS_KEY`,
    )
  })
})
