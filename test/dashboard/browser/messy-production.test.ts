/** The dashboard in a clinic of the scenario messy-production: each page shows each of its patients without breaking. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { builtInScenario } from '../../../src/rehearsal/scenarios/built-in.ts'
import { type Dashboard, fitsItsWidth, leftoversOf, startDashboard } from '../../support/dashboard.ts'
import { request } from '../../support/server.ts'

const resources = builtInScenario('messy-production').resources()
const gone = new Set(resources.flatMap(({ id, $delete }) => ($delete ? [id] : [])))
const patients = [
  ...new Set(resources.flatMap(({ resourceType, id }) => (resourceType === 'Patient' && !gone.has(id) ? [id] : []))),
]

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  const { server } = dashboard
  const authorization = `Bearer ${await server.login('admin', 'admin')}`
  const scenario = { scenario: 'messy-production' }
  const { status } = await request(server.url, 'POST', '/clinics/demo-clinic/reset', scenario, { authorization })
  expect(status).toBe(200)
})
afterAll(() => dashboard?.close())

/** The faults of a page, once nothing of it is loading any more. */
async function wrongWith(path: string): Promise<readonly string[]> {
  const page = await dashboard.signedIn(path)
  await page.getByRole('main').getByRole('heading').first().waitFor()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
  const found = await leftoversOf(page)
  const fits = await fitsItsWidth(page)
  await page.close()
  return [...found, ...(fits ? [] : ['wider than the window'])]
}

test.each(patients.filter((id) => id !== 'messy-merged'))(
  'the page of Patient/%s shows no leftovers of code, and fits its width',
  async (id) => {
    expect(await wrongWith(`/patients/${id}`)).toEqual([])
  },
)

test('the page of a merged patient says so', async () => {
  expect(await wrongWith('/patients/messy-merged')).toEqual([expect.stringContaining('This record has been merged')])
})

test('a document whose content is on another server tells where it is', async () => {
  const page = await dashboard.signedIn('/patients/messy-capitals?tab=documents')
  await page.getByText('Its content is elsewhere: https://hie.example/documents/42').waitFor()
})

test.each(
  ['messy-capitals', 'messy-absent', 'messy-mononym'].flatMap((id) =>
    ['timeline', 'appointments', 'coverage', 'documents', 'duplicates', 'history'].map((tab) => [id, tab] as const),
  ),
)('Patient/%s: the tab %s shows no leftovers of code', async (id, tab) => {
  expect(await wrongWith(`/patients/${id}?tab=${tab}`)).toEqual([])
})

test.each([
  ...['', '/patients', '/patients?q=abernethy', '/schedule', '/work-list', '/calls', '/journal'],
  ...['/explorer?path=Observation/messy-absent-value', '/explorer?path=DiagnosticReport/messy-narrative'],
])('/dashboard%s shows no leftovers of code', async (path) => {
  expect(await wrongWith(path)).toEqual([])
})

test('no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
