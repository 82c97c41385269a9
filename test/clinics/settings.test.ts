import { describe, expect, test } from '@jest/globals'
import type { Organization } from 'fhir/r4'
import { createClinic } from '../../src/clinics/clinics.ts'
import {
  type ClinicSettings,
  dialedNumber,
  parseSettings,
  readSettings,
  withoutSecrets,
  writeSettings,
} from '../../src/clinics/settings.ts'
import { openTestRepository } from '../support/repository.ts'

const REQUIRED = { name: 'Clinic', timeZone: 'Europe/Berlin', defaultRegion: 'DE' }
const SETTINGS: ClinicSettings = {
  ...REQUIRED,
  dialedNumbers: ['+493012345678'],
  policies: { overbooking: false, slotTakenStatus: 409 },
}
const crm = {
  enabled: true,
  url: 'https://crm.example/hook',
  secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
}

const HUBSPOT = { kind: 'hubspot', enabled: true, token: 'token-of-the-clinic' }
const SALESFORCE = {
  kind: 'salesforce',
  enabled: true,
  url: 'https://clinic.my.salesforce.com',
  apiVersion: 'v61.0',
  externalIdField: 'Patient_Id__c',
  clientId: 'client-of-the-clinic',
  clientSecret: 'secret-of-the-clinic',
}
const LEADCONNECTOR = { kind: 'leadconnector', enabled: true, token: 'token-of-the-clinic', locationId: 'abc' }

const problemsOf = (body: unknown): readonly string[] => {
  const parsed = parseSettings(body)
  return 'problems' in parsed ? parsed.problems : []
}

describe('settings', () => {
  test.each<[string, unknown, string]>([
    ['a name', { name: undefined }, 'name'],
    ['a name that is not blank', { name: '  ' }, 'name'],
    ['a name of 200 characters at most', { name: 'x'.repeat(201) }, 'name'],
    ['a time zone', { timeZone: undefined }, 'timeZone'],
    ['a time zone that exists', { timeZone: 'Europe/Atlantis' }, 'timeZone'],
    ['a zone, not an offset', { timeZone: '+02:00' }, 'timeZone'],
    ['a region', { defaultRegion: undefined }, 'defaultRegion'],
    ['a region that exists', { defaultRegion: 'XX' }, 'defaultRegion'],
    ['a region in capitals', { defaultRegion: 'de' }, 'defaultRegion'],
    ['numbers in a list', { dialedNumbers: '+493012345678' }, 'dialedNumbers'],
    ['numbers with their country', { dialedNumbers: ['030 12345678'] }, 'dialedNumbers[0]'],
    ['numbers without spaces', { dialedNumbers: ['+493012345678', '+49 30 12345679'] }, 'dialedNumbers[1]'],
    ['numbers that can be dialled', { dialedNumbers: ['+1212555'] }, 'dialedNumbers[0]'],
    ['texts as numbers', { dialedNumbers: [493012345678] }, 'dialedNumbers[0]'],
    ['an object of policies', { policies: [] }, 'policies'],
    ['policies that exist', { policies: { overbook: true } }, 'overbook'],
    ['overbooking true or false', { policies: { overbooking: 'yes' } }, 'policies.overbooking'],
    ['409 or 422 for a slot that is taken', { policies: { slotTakenStatus: 410 } }, 'policies.slotTakenStatus'],
    ['a number of minutes as notice', { policies: { minimumNoticeMinutes: '60' } }, 'policies.minimumNoticeMinutes'],
    ['a notice that is not negative', { policies: { minimumNoticeMinutes: -1 } }, 'policies.minimumNoticeMinutes'],
    ['whole days as horizon', { policies: { bookingHorizonDays: 1.5 } }, 'policies.bookingHorizonDays'],
    ['a day of horizon', { policies: { bookingHorizonDays: 0 } }, 'policies.bookingHorizonDays'],
    ['hours as window', { policies: { cancellationWindowHours: null } }, 'policies.cancellationWindowHours'],
    ['one open appointment', { policies: { maxOpenAppointments: 0 } }, 'policies.maxOpenAppointments'],
    ['500 open appointments at most', { policies: { maxOpenAppointments: 501 } }, 'policies.maxOpenAppointments'],
    ['an object as CRM', { crm: true }, 'crm'],
    ['enabled true or false in a CRM', { crm: { ...crm, enabled: 1 } }, 'crm.enabled'],
    ['an http address in a CRM', { crm: { ...crm, url: 'ftp://crm.example' } }, 'crm.url'],
    ['whsec_ before the secret', { crm: { ...crm, secret: crm.secret.slice(6) } }, 'crm.secret'],
    ['24 bytes of secret', { crm: { ...crm, secret: 'whsec_c2hvcnQ=' } }, 'crm.secret'],
    ['known keys in a CRM', { crm: { ...crm, token: 'x' } }, 'token'],
    ['a kind of CRM that there is', { crm: { ...crm, kind: 'pipedrive' } }, 'crm.kind'],
    ['a token in HubSpot', { crm: { kind: 'hubspot', enabled: true } }, 'crm.token'],
    ['no secret of a webhook in HubSpot', { crm: { ...HUBSPOT, secret: crm.secret } }, 'secret'],
    ['fields of a contact in a mapping', { crm: { ...HUBSPOT, fields: { shoeSize: 'x' } } }, 'shoeSize'],
    ['names of fields in a mapping', { crm: { ...HUBSPOT, fields: { phone: 'a/b' } } }, 'crm.fields.phone'],
    ['an address in Salesforce', { crm: { ...SALESFORCE, url: undefined } }, 'crm.url'],
    ['a version in Salesforce', { crm: { ...SALESFORCE, apiVersion: '61' } }, 'crm.apiVersion'],
    ['a field name as external id', { crm: { ...SALESFORCE, externalIdField: '../x' } }, 'crm.externalIdField'],
    ['a secret in Salesforce', { crm: { ...SALESFORCE, clientSecret: undefined } }, 'crm.clientSecret'],
    ['a location in LeadConnector', { crm: { ...HUBSPOT, kind: 'leadconnector' } }, 'crm.locationId'],
    ['an address for messages', { messages: { ...crm, url: 'x' } }, 'messages.url'],
    ['no secret for the simulator of messages', { messages: { ...crm, url: 'simulator' } }, 'messages.secret'],
    ['no secret for the simulator of a CRM', { crm: { ...crm, url: 'simulator' } }, 'crm.secret'],
    ['an address in HubSpot, which has no simulator', { crm: { ...HUBSPOT, url: 'simulator' } }, 'crm.url'],
    ['a secret for messages', { messages: { ...crm, secret: 'x' } }, 'messages.secret'],
    ['true or false for writes by MCP', { mcpWrites: 'yes' }, 'mcpWrites must be true or false'],
    ['known keys', { color: 'red' }, 'color'],
  ])('need %s', (_what, change, named) => {
    const problems = problemsOf({ ...REQUIRED, ...(change as object) })
    expect(problems.join()).toContain(named)
  })

  test.each([null, [], 'x', 7])('are an object: %j is not', (body) => {
    expect(problemsOf(body)[0]).toContain('must be a JSON object')
  })

  test('name all their problems at once', () => {
    expect(problemsOf({ timeZone: 1, policies: { a: 1, slotTakenStatus: 1 } })).toHaveLength(5)
  })

  test('get defaults for what is optional', () => {
    expect(parseSettings(REQUIRED)).toEqual({
      settings: { ...REQUIRED, dialedNumbers: [], policies: { overbooking: false, slotTakenStatus: 409 } },
    })
  })

  test('may limit booking', () => {
    const limits = {
      minimumNoticeMinutes: 0,
      bookingHorizonDays: 1,
      cancellationWindowHours: 24,
      maxOpenAppointments: 2,
    }
    const policies = { ...SETTINGS.policies, ...limits }
    expect(parseSettings({ ...SETTINGS, policies: limits })).toEqual({ settings: { ...SETTINGS, policies } })
  })

  test('may let clients of the Model Context Protocol write', () => {
    for (const mcpWrites of [true, false])
      expect(parseSettings({ ...SETTINGS, mcpWrites })).toEqual({ settings: { ...SETTINGS, mcpWrites } })
  })

  test('may have a CRM, or null for none', () => {
    expect(parseSettings({ ...SETTINGS, crm })).toEqual({ settings: { ...SETTINGS, crm } })
    expect(parseSettings({ ...SETTINGS, crm: null })).toEqual({ settings: SETTINGS })
  })

  test.each([
    ['HubSpot', HUBSPOT, 'https://api.hubapi.com'],
    ['Salesforce', SALESFORCE, SALESFORCE.url],
    ['LeadConnector', LEADCONNECTOR, 'https://services.leadconnectorhq.com'],
  ])('may have %s as CRM, at its usual address where it has one', (_name, one, url) => {
    expect(parseSettings({ ...SETTINGS, crm: one })).toEqual({ settings: { ...SETTINGS, crm: { ...one, url } } })
  })

  test.each([
    [HUBSPOT, 'token'],
    [SALESFORCE, 'clientSecret'],
    [LEADCONNECTOR, 'token'],
  ])('do not show the credentials of %j, and keep them for the same address alone', (one, secret) => {
    const parsed = parseSettings({ ...SETTINGS, crm: one })
    if ('problems' in parsed) throw new Error(parsed.problems.join())
    const shown = withoutSecrets(parsed.settings) as { readonly crm: object }
    expect(shown.crm).toMatchObject({ [secret]: 'set' })
    expect(parseSettings(shown, parsed.settings)).toEqual(parsed)
    const moved = { ...shown, crm: { ...shown.crm, url: 'https://thief.example' } }
    expect(parseSettings(moved, parsed.settings)).toEqual({
      problems: [expect.stringContaining(`crm.${secret}`)],
    })
  })

  test('may name the simulator, which has no secret, also in place of a system that has one', () => {
    const simulator = { enabled: true, url: 'simulator' }
    const current = { ...SETTINGS, crm, messages: crm }
    const sent = { ...SETTINGS, crm: { ...simulator, secret: 'set' }, messages: { ...simulator, secret: 'set' } }
    expect(parseSettings(sent, current)).toEqual({ settings: { ...SETTINGS, crm: simulator, messages: simulator } })
  })

  test('do not show the secret for messages, and keep it', () => {
    const settings = { ...SETTINGS, messages: crm }
    const shown = withoutSecrets(settings)
    expect(shown).toMatchObject({ messages: { secret: 'set' } })
    expect(parseSettings(shown, settings)).toEqual({ settings })
  })

  test('that name a number twice have it once', () => {
    const [number = ''] = SETTINGS.dialedNumbers
    expect(parseSettings({ ...SETTINGS, dialedNumbers: [number, number] })).toEqual({ settings: SETTINGS })
  })
})

describe('a clinic', () => {
  test('is made with its Organization, its settings and its numbers', async () => {
    const { repository } = await openTestRepository()
    await createClinic(repository, 'clinic-a', SETTINGS)
    const organization = await (await repository.reader('clinic-a')).read('Organization', 'clinic-a')
    expect(organization?.resource).toMatchObject({ id: 'clinic-a', name: 'Clinic', active: true })
    expect(await readSettings(repository, 'clinic-a')).toEqual(SETTINGS)
    expect((await dialedNumber(repository, '+493012345678'))?.clinic).toBe('clinic-a')
    expect(await dialedNumber(repository, '+493012345679')).toBeUndefined()
  })

  test('is made once: 409 the second time, also when both come at once', async () => {
    const { repository } = await openTestRepository()
    const make = () => createClinic(repository, 'clinic-a', SETTINGS)
    const made = await Promise.allSettled([make(), make()])
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(make()).rejects.toMatchObject({ status: 409 })
  })

  test('with a number of another clinic is not made at all', async () => {
    const { repository } = await openTestRepository()
    await createClinic(repository, 'clinic-a', SETTINGS)
    await expect(createClinic(repository, 'clinic-b', SETTINGS)).rejects.toMatchObject({ status: 422 })
    expect(await (await repository.reader('clinic-b')).read('Organization', 'clinic-b')).toBeUndefined()
    expect((await dialedNumber(repository, '+493012345678'))?.clinic).toBe('clinic-a')
  })

  test('has the name of its settings as Organization too, in the same change', async () => {
    const { repository } = await openTestRepository()
    await createClinic(repository, 'clinic-a', SETTINGS)
    const rename = (name: string) => repository.change('clinic-a', (unit) => writeSettings(unit, { ...SETTINGS, name }))
    const organization = async () =>
      (await repository.reader('clinic-a')).read<Organization>('Organization', 'clinic-a')
    await rename('Renamed')
    expect((await organization())?.resource).toMatchObject({ name: 'Renamed', active: true })
    await rename('Renamed')
    expect((await organization())?.version).toBe(2)
  })

  test('whose Organization was deleted can be renamed, and gets no new one', async () => {
    const { repository } = await openTestRepository()
    await createClinic(repository, 'clinic-a', SETTINGS)
    await repository.change('clinic-a', (unit) => unit.delete('Organization', 'clinic-a'))
    await repository.change('clinic-a', (unit) => writeSettings(unit, { ...SETTINGS, name: 'Renamed' }))
    expect((await readSettings(repository, 'clinic-a')).name).toBe('Renamed')
    expect((await (await repository.reader('clinic-a')).read('Organization', 'clinic-a'))?.deleted).toBe(true)
  })

  test.each(['', 'a b', 'a/b', 'x'.repeat(65)])('cannot have the id %j', async (id) => {
    const { repository } = await openTestRepository()
    await expect(createClinic(repository, id, SETTINGS)).rejects.toMatchObject({ status: 400 })
  })

  test('that was never set up has the defaults', async () => {
    const { repository } = await openTestRepository()
    expect(await readSettings(repository, 'nowhere')).toMatchObject({ timeZone: 'UTC', dialedNumbers: [] })
  })
})
