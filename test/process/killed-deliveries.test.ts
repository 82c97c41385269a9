/** kill -9 around deliveries to the CRM: an intake is there with its delivery or not at all, and arrives under one id. */
import { expect, test } from '@jest/globals'
import type { Bundle, Patient } from 'fhir/r4'
import { startVendor, type VendorRequest } from '../integrations/crm/vendor.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, login, start, stop, until } from '../support/server-process.ts'

endProcessesAfterEach()

/** Deliveries after which the server is killed, round by round; later ones are under way, and get no response. */
const ROUNDS = [12, 30]
const CLIENTS = 6

const JSON_HEADERS = { 'content-type': 'application/json' }
const SETTINGS = '/clinics/demo-clinic/settings'

async function useCrm(url: string, crm: string): Promise<void> {
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${await login(url)}` }
  const { body } = await request(url, 'GET', SETTINGS, undefined, headers)
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const answer = await request(url, 'PUT', SETTINGS, { ...body, crm: { enabled: true, url: crm, secret } }, headers)
  expect(answer.status).toBe(200)
}

/** A name has no digits. */
const nameOf = (call: string): string =>
  `Z${call.replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit))).replaceAll('-', 'z')}`

/** One intake by a call of its own. @returns whether it was acknowledged as delivered */
async function submit(url: string, call: string): Promise<boolean> {
  const intake = {
    firstName: nameOf(call),
    lastName: 'Killed',
    dateOfBirth: '1980-03-03',
    phone: '212 555 0124',
    email: 'john.roe@example.com',
    address: '12 Elm Street, Springfield',
    reasonForVisit: 'a cough',
  }
  const headers = { ...JSON_HEADERS, 'x-voice-secret': 'demo-secret', 'x-call-id': call }
  const body = { message: { toolCalls: [{ id: '1', function: { arguments: intake } }] } }
  const answer = await request(url, 'POST', '/patient-intake/submit_intake', body, headers)
  return JSON.parse(answer.body.results[0].result).success
}

const sentBy = ({ body }: VendorRequest): string => JSON.parse(body).data.firstName

async function keepSubmitting(url: string, client: string, acknowledged: Set<string>): Promise<void> {
  for (let n = 0; ; n += 1) {
    const call = `${client}-${n}`
    if (await submit(url, call)) acknowledged.add(nameOf(call))
  }
}

async function savedIntakes(url: string): Promise<readonly string[]> {
  const authorization = `Bearer ${await login(url)}`
  const { body }: { body: Bundle<Patient> } = await request(
    url,
    'GET',
    '/Patient?family=Killed&_count=1000',
    undefined,
    {
      authorization,
    },
  )
  return (body.entry ?? []).map(({ resource }) => resource?.name?.[0]?.given?.[0] ?? '').sort()
}

test(`a server that is killed in the middle of deliveries, ${ROUNDS.length} times, delivers each intake that it saved, under one id`, async () => {
  const env = { DATABASE_URL: await newLastingDatabaseUrl(), DEMO: 'on' }
  const vendor = await startVendor(() => ({ status: 204 }))
  const acknowledged = new Set<string>()
  let server = await start(env)
  await useCrm(server.url, vendor.url)
  for (const [round, count] of ROUNDS.entries()) {
    const before = vendor.requests.length
    const names = Array.from({ length: CLIENTS }, (_, client) => `${round}-${client}`)
    const clients = names.map((name) => keepSubmitting(server.url, name, acknowledged).catch(() => 'gone'))
    await until(() => vendor.requests.length >= before + count)
    // These deliveries arrive, but the server is killed before it gets the response.
    for (const _client of names) vendor.answerOnce('silent')
    const silenced = vendor.requests.length
    await until(() => vendor.requests.length > silenced)
    await stop(server, 'SIGKILL')
    expect(await Promise.all(clients)).toEqual(names.map(() => 'gone'))
    server = await start(env)
  }
  const saved = await savedIntakes(server.url)
  const arrived = () => [...new Set(vendor.requests.map(sentBy))].sort()
  await until(() => arrived().length >= saved.length)
  expect(arrived()).toEqual(saved)
  expect(saved).toEqual(expect.arrayContaining([...acknowledged]))
  const ids = new Set(vendor.requests.map((one) => `${sentBy(one)} ${one.headers['webhook-id']}`))
  expect(ids.size).toBe(saved.length)
  await stop(server, 'SIGTERM')
  await vendor.close()
})
