/**
 * Merging two records: common values are kept, conflicting ones are chosen, and both records offer to undo the merge.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import type { Page } from 'playwright-core'
import { type Dashboard, startDashboard } from '../../support/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

const fhir = (method: string, path: string, body?: unknown) => dashboard.server.fhir(method, path, body)

async function read(id: string): Promise<Patient> {
  const { status, body, text } = await fhir('GET', `/Patient/${id}`)
  if (status !== 200) throw new Error(text)
  return body
}

let number = 0
/** Two records of one person, unlike all others. */
async function newPair(target: Partial<Patient> = {}, source: Partial<Patient> = {}) {
  number += 1
  const family = `Twin${String.fromCharCode(64 + number)
    .repeat(4)
    .toLowerCase()}`
  const person = { resourceType: 'Patient', birthDate: `19${60 + number}-05-05`, name: [{ family, given: ['Dana'] }] }
  const [kept, replaced] = [`kept-${number}`, `replaced-${number}`]
  await fhir('PUT', `/Patient/${kept}`, { ...person, ...target, id: kept })
  await fhir('PUT', `/Patient/${replaced}`, { ...person, ...source, id: replaced })
  return { kept, replaced }
}

const parameters = (...parameter: readonly object[]) => ({ resourceType: 'Parameters', parameter })
const mergeByFhir = (from: string, to: string) =>
  fhir(
    'POST',
    '/Patient/$merge',
    parameters(
      { name: 'source-patient', valueReference: { reference: `Patient/${from}` } },
      { name: 'target-patient', valueReference: { reference: `Patient/${to}` } },
    ),
  )

const undo = (page: Page) => page.getByRole('button', { name: 'Undo', exact: true })
const takeBack = (page: Page) => page.getByRole('button', { name: 'Take back the merge' })
const merges = (page: Page) => page.getByRole('alert').filter({ hasText: 'has been merged' })

/** The dialog in which the other record is merged into this one. */
async function openMerge(kept: string) {
  const page = await dashboard.signedIn(`/patients/${kept}?tab=duplicates`)
  await page.getByRole('button', { name: 'Compare and merge' }).first().click()
  return { page, dialog: page.getByRole('dialog', { name: 'Merge two records' }) }
}

async function merge({ page, dialog }: Awaited<ReturnType<typeof openMerge>>): Promise<void> {
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await undo(page).waitFor()
}

const phone = (value: string) => ({ system: 'phone' as const, value })
const email = (value: string) => ({ system: 'email' as const, value })

describe('a merge', () => {
  test('keeps phones, e-mails, addresses and record numbers of both records without being asked, until it is undone', async () => {
    const mrn = (value: string) => ({ system: 'http://example.org/mrn', value })
    const { kept, replaced } = await newPair(
      { telecom: [phone('+12125550100')], address: [{ city: 'Troy' }], identifier: [mrn('K-1')] },
      {
        telecom: [phone('(212) 555-0100'), phone('+12125550199'), email('dana@example.com')],
        address: [{ city: 'Albany' }],
        identifier: [mrn('R-1')],
      },
    )
    const opened = await openMerge(kept)
    const { page, dialog } = opened
    const contacts = dialog.getByRole('row', { name: 'Phone and e-mail' })
    await contacts.getByText('+1 212 555 0100, +1 212 555 0199, dana@example.com', { exact: true }).waitFor()
    await dialog.getByRole('row', { name: 'Address' }).getByText('Troy · Albany', { exact: true }).waitFor()
    await dialog.getByRole('row', { name: 'Record numbers' }).getByText('K-1, R-1', { exact: true }).waitFor()
    expect(await dialog.getByRole('radio').count()).toBe(0)
    await merge(opened)
    expect(await read(kept)).toMatchObject({
      telecom: [phone('+12125550100'), phone('+12125550199'), email('dana@example.com')],
      address: [{ city: 'Troy' }, { city: 'Albany' }],
    })
    await undo(page).click()
    await page.getByRole('button', { name: 'Compare and merge' }).first().waitFor()
    expect((await read(kept)).telecom).toEqual([phone('+12125550100')])
    expect((await read(replaced)).active).toBeUndefined()
  })

  test('asks only where two values exclude each other, and takes what is chosen', async () => {
    const { kept } = await newPair(
      { gender: 'female', telecom: [phone('+12125550100')] },
      { gender: 'other', deceasedDateTime: '2024-02-03', telecom: [email('dana@example.com')] },
    )
    const opened = await openMerge(kept)
    const { dialog } = opened
    await dialog.getByRole('row', { name: 'Died' }).getByText('2024').waitFor()
    expect(await dialog.getByRole('radio').count()).toBe(2)
    await dialog.getByRole('radio', { name: 'other' }).check()
    await merge(opened)
    expect(await read(kept)).toMatchObject({
      gender: 'other',
      deceasedDateTime: '2024-02-03',
      telecom: [phone('+12125550100'), email('dana@example.com')],
    })
  })

  test('does not overwrite what somebody has changed since the two were compared', async () => {
    const { kept, replaced } = await newPair({ gender: 'female' }, { gender: 'other' })
    const { dialog } = await openMerge(kept)
    await dialog.getByRole('radio', { name: 'other' }).check()
    await fhir('PUT', `/Patient/${kept}`, { ...(await read(kept)), gender: 'male' })
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click()
    await dialog.getByText('Somebody else was faster').waitFor()
    expect([(await read(kept)).gender, (await read(replaced)).active]).toEqual(['male', undefined])
  })

  test('that the server is still carrying out is undone as soon as it is done', async () => {
    const { kept, replaced } = await newPair()
    for (let batch = 0; batch < 3; batch += 1) {
      const entry = Array.from({ length: 600 }, () => ({
        resource: {
          ...{ resourceType: 'Observation', status: 'final', code: { text: 'x' } },
          subject: { reference: `Patient/${replaced}` },
        },
        request: { method: 'POST', url: 'Observation' },
      }))
      expect((await fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })).status).toBe(200)
    }
    const opened = await openMerge(kept)
    await merge(opened)
    const { page } = opened
    const refused = page.waitForResponse((answer) => answer.url().endsWith('$unmerge') && answer.status() === 409)
    await undo(page).click()
    await refused
    await undo(page).waitFor()
    await page.getByRole('button', { name: 'Compare and merge' }).first().waitFor()
    expect((await read(replaced)).active).toBeUndefined()
    await undo(page).waitFor({ state: 'detached' })
  })
})

describe('a merge of yesterday', () => {
  test.each(['kept', 'replaced'] as const)('is taken back on the page of the record that was %s', async (which) => {
    const pair = await newPair({}, { telecom: [email('dana@example.com')] })
    await mergeByFhir(pair.replaced, pair.kept)
    const page = await dashboard.signedIn(`/patients/${pair[which]}`)
    await takeBack(page).waitFor()
    // A replaced record is not edited.
    expect(await page.getByRole('button', { name: 'Edit', exact: true }).count()).toBe(which === 'kept' ? 1 : 0)
    await takeBack(page).click()
    await merges(page).waitFor({ state: 'detached' })
    expect([(await read(pair.kept)).telecom, (await read(pair.replaced)).active]).toEqual([undefined, undefined])
  })

  test('that was itself merged on is taken back after the later one, as both records say', async () => {
    const { kept, replaced } = await newPair()
    const { kept: last } = await newPair()
    await mergeByFhir(replaced, kept)
    await mergeByFhir(kept, last)
    const page = await dashboard.signedIn(`/patients/${replaced}`)
    await page.getByText('take that merge back first').waitFor()
    expect(await takeBack(page).count()).toBe(0)
    await page.goto(`${dashboard.server.url}/dashboard/patients/${last}`)
    await takeBack(page).click()
    await merges(page).waitFor({ state: 'detached' })
    await page.goto(`${dashboard.server.url}/dashboard/patients/${replaced}`)
    await takeBack(page).waitFor()
  })

  test('that was made by hand, which the server cannot take back, is told and not offered', async () => {
    const { kept, replaced } = await newPair()
    const link = [{ other: { reference: `Patient/${kept}` }, type: 'replaced-by' }]
    await fhir('PUT', `/Patient/${replaced}`, { ...(await read(replaced)), link })
    const page = await dashboard.signedIn()
    const asked = page.waitForResponse((answer) => answer.url().endsWith('$unmerge') && answer.status() === 422)
    await page.goto(`${dashboard.server.url}/dashboard/patients/${replaced}`)
    await asked
    await merges(page).waitFor()
    expect(await takeBack(page).count()).toBe(0)
  })

  test('is not taken back where somebody has done so and merged them again', async () => {
    const { kept, replaced } = await newPair()
    await mergeByFhir(replaced, kept)
    const page = await dashboard.signedIn()
    // The page is shown the record as it was, from its first read on: one under way may be served after the changes.
    const json = await read(replaced)
    const seen = { json, contentType: 'application/fhir+json' }
    await page.route(`**/Patient/${replaced}`, (route) => route.fulfill(seen))
    await page.goto(`${dashboard.server.url}/dashboard/patients/${replaced}`)
    await takeBack(page).waitFor()
    expect((await fhir('POST', `/Patient/${replaced}/$unmerge`)).status).toBe(200)
    expect((await mergeByFhir(replaced, kept)).status).toBe(200)
    await takeBack(page).click()
    await page.getByText('It has been changed since, so nothing is undone.').waitFor()
    expect((await read(replaced)).active).toBe(false)
  })
})
