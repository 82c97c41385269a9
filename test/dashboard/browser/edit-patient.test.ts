/** The form of a patient: phones and e-mails are checked by the rules by which the server reads those of callers. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ContactPoint } from 'fhir/r4'
import { type Dashboard, startDashboard } from '../../support/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

const fhir = (method: string, path: string, body?: unknown) => dashboard.server.fhir(method, path, body)

let number = 0
/** The form of a new patient. */
async function openForm(telecom: readonly ContactPoint[]) {
  number += 1
  const id = `edited-${number}`
  const patient = { resourceType: 'Patient', id, name: [{ family: 'Edited', given: ['Eve'] }] }
  await fhir('PUT', `/Patient/${id}`, telecom.length === 0 ? patient : { ...patient, telecom })
  const page = await dashboard.signedIn(`/patients/${id}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit demographics' })
  const save = () => dialog.getByRole('button', { name: 'Save' }).click()
  const stored = async (): Promise<readonly ContactPoint[] | undefined> =>
    (await fhir('GET', `/Patient/${id}`)).body.telecom
  return { page, dialog, save, stored }
}

const PHONE = { system: 'phone', value: '+12125550100', use: 'mobile' } as const
const EMAIL = { system: 'email', value: 'eve@example.com' } as const
const LABELS = { phone: 'Phone', email: 'E-mail' } as const

test.each<['phone' | 'email', string, string]>([
  ['phone', 'abc', 'contains letters'],
  ['phone', '12', 'has 2 digits'],
  ['phone', '12345678901234567', 'has 17 digits'],
  ['phone', '+1 212 555 0142 or none', 'contains letters'],
  ['phone', '555-0142, 555-0143', 'two phone numbers'],
  ['phone', 'eve@example.com', 'phone number'],
  ['email', 'not-an-email', 'e-mail address'],
  ['email', 'eve@', 'e-mail address'],
  ['email', '@example.com', 'e-mail address'],
  ['email', 'eve@example', 'e-mail address'],
  ['email', 'eve@@example.com', 'more than one "at"'],
  ['email', 'eve example.com', 'no "at"'],
  ['email', '+12125550142', 'no "at"'],
])('the %s “%s” is refused at its field, and nothing is saved', async (field, typed, words) => {
  const { dialog, save, stored } = await openForm([PHONE, EMAIL])
  const input = dialog.getByLabel(LABELS[field], { exact: true })
  await input.fill(typed)
  await save()
  await dialog.getByText(words).waitFor()
  expect(await input.getAttribute('aria-invalid')).toBe('true')
  expect(await stored()).toEqual([PHONE, EMAIL])
})

test.each<['phone' | 'email', string, readonly ContactPoint[]]>([
  ['phone', '(212) 555-0142', [{ ...PHONE, value: '+12125550142' }, EMAIL]],
  ['phone', ' 212.555.0142 ', [{ ...PHONE, value: '+12125550142' }, EMAIL]],
  ['phone', '+44 20 7946 0958', [{ ...PHONE, value: '+442079460958' }, EMAIL]],
  ['phone', '', [EMAIL]],
  ['phone', '  ', [EMAIL]],
  ['email', 'Eve.Smith+x@Example.COM', [PHONE, { ...EMAIL, value: 'Eve.Smith+x@example.com' }]],
  ['email', ' eve2@example.co.uk ', [PHONE, { ...EMAIL, value: 'eve2@example.co.uk' }]],
  ['email', 'eve dot smith at example dot com', [PHONE, { ...EMAIL, value: 'eve.smith@example.com' }]],
  ['email', '', [PHONE]],
])('the %s “%s” is saved in its normal form', async (field, typed, expected) => {
  const { dialog, save, stored } = await openForm([PHONE, EMAIL])
  await dialog.getByLabel(LABELS[field], { exact: true }).fill(typed)
  await save()
  await dialog.waitFor({ state: 'detached' })
  expect(await stored()).toEqual(expected)
})

test('a phone and an e-mail that are both wrong are each told at their field', async () => {
  const { dialog, save, stored } = await openForm([])
  await dialog.getByLabel('Phone', { exact: true }).fill('abc')
  await dialog.getByLabel('E-mail', { exact: true }).fill('not-an-email')
  await save()
  await dialog.getByText('contains letters').waitFor()
  for (const label of ['Phone', 'E-mail'])
    expect(await dialog.getByLabel(label, { exact: true }).getAttribute('aria-invalid')).toBe('true')
  expect(await stored()).toBeUndefined()
})

test('odd values that were there before stay as they are while something else is changed', async () => {
  const odd: readonly ContactPoint[] = [
    { system: 'phone', value: 'ask her son' },
    { system: 'email', value: 'none' },
  ]
  const { dialog, save, stored } = await openForm(odd)
  await dialog.getByLabel('City').fill('Troy')
  await save()
  await dialog.waitFor({ state: 'detached' })
  expect(await stored()).toEqual(odd)
})
