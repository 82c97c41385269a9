/** Plans in the dashboard: read as a checklist, edited with completion, tried on recorded requests. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Dashboard, findingsOf, startDashboard } from '../../support/dashboard.ts'
import { request } from '../../support/request.ts'

const OWN = '/clinics/demo-clinic'

let dashboard: Dashboard
let admin: Record<string, string>
beforeAll(async () => {
  dashboard = await startDashboard()
  admin = { authorization: `Bearer ${await dashboard.server.login('admin', 'admin')}` }
  expect((await asAdmin('PUT', '/plans/looks', PLAN)).status).toBe(201)
})
afterAll(() => dashboard?.close())

const asAdmin = (method: string, path: string, body?: unknown) =>
  request(dashboard.server.url, method, OWN + path, body, { 'content-type': 'application/json', ...admin })

const SOURCE = 'https://hl7.org/fhir/R4/slot.html'
const PLAN = {
  ...{ plan: 'looks', title: 'Looks for times', version: '1.0.0', description: 'The first thing that schedulers do' },
  names: { who: 'Patient/abernathy-ruth' },
  steps: [
    {
      ...{ id: 'look', title: 'Searches free slots in a range', source: SOURCE },
      expect: {
        interaction: 'search-type',
        type: 'Slot',
        query: { status: 'free', start: ['ge*', 'gt*'] },
        status: [200, 304],
      },
    },
    {
      ...{ id: 'lost', title: 'Looks before it books again', source: SOURCE, optional: true },
      do: { fault: 'lost-answer', when: { type: 'Appointment', interaction: 'create' } },
      never: { interaction: 'create', type: 'Appointment', same: 'body' },
    },
    {
      id: 'one',
      title: 'Books once',
      source: SOURCE,
      state: { query: 'Appointment?patient={{who}}', count: { most: 9 } },
    },
  ],
}

const opened = (path: string, as = 'admin'): Promise<Page> => dashboard.signedIn(path, { as })
const editorOf = (page: Page) => page.getByRole('textbox', { name: 'The plan as JSON' })

/** Sets the text, and the cursor at `|`. */
async function write(page: Page, marked: string): Promise<void> {
  const at = marked.indexOf('|')
  await editorOf(page).fill(marked.replace('|', ''))
  await editorOf(page).evaluate((field, position) => {
    ;(field as HTMLTextAreaElement).setSelectionRange(position, position)
  }, at)
}

test('a plan is in the list, and is read as a checklist with its sources', async () => {
  const page = await opened('/plans', 'demo')
  const row = page.getByRole('table', { name: 'Plans' }).getByRole('row', { name: /Looks for times/ })
  await row.getByText('the clinic').waitFor()
  await row.getByRole('link', { name: 'Looks for times' }).click()
  await page.getByRole('heading', { level: 1, name: 'Looks for times' }).waitFor()
  const steps = page.getByRole('list', { name: 'Steps' }).locator('> li')
  expect(await steps.count()).toBe(3)
  await steps
    .nth(0)
    .getByText('search-type Slot, with status free, start ge* or gt*, with the status 200 or 304')
    .waitFor()
  await steps.nth(0).getByRole('link', { name: SOURCE }).waitFor()
  await steps
    .nth(1)
    .getByText('lost-answer: requests with interaction create and type Appointment, number 1 of them')
    .waitFor()
  await steps.nth(1).getByText('optional').waitFor()
  await steps.nth(2).getByText('Appointment?patient={{who}} finds at most 9').waitFor()
  await page.getByText('Patient/abernathy-ruth').waitFor()
})

describe('the text of a plan', () => {
  test('is completed by the words that there are, chosen and taken with the keyboard', async () => {
    const page = await opened('/plans/looks?tab=edit')
    await write(page, '{"steps": [{"never": {"interaction": "create", |}}]}')
    await editorOf(page).pressSequentially('"sa')
    const list = page.getByRole('listbox', { name: 'What may stand here' })
    await list.getByRole('option', { name: /^same/ }).waitFor()
    await editorOf(page).press('Enter')
    await list.waitFor({ state: 'detached' })
    await editorOf(page).press('Control+ ')
    expect(await list.getByRole('option').allTextContents()).toEqual([
      ...['address', 'body', 'call', 'tool-call-id', 'arguments'],
    ])
    await editorOf(page).press('ArrowDown')
    const chosen = list.getByRole('option', { selected: true })
    expect(await chosen.textContent()).toBe('body')
    expect(await editorOf(page).getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'))
    await editorOf(page).press('Enter')
    expect(await editorOf(page).inputValue()).toBe('{"steps": [{"never": {"interaction": "create", "same": "body"}}]}')
    await editorOf(page).press('Control+z')
    expect(await editorOf(page).inputValue()).toBe('{"steps": [{"never": {"interaction": "create", "same": }}]}')
  })

  test.each([
    ['a fault of the catalogue', '{"steps": [{"do": {"fault": "lost-a|"}}]}', 'lost-answer'],
    ['a scenario', '{"scenario": "quiet-w|"}', 'quiet-week'],
    ['a resource type of the server', '{"steps": [{"expect": {"type": "DocumentR|"}}]}', 'DocumentReference'],
    ['an operation', '{"steps": [{"expect": {"operation": "$mat|"}}]}', '$match'],
    ['a tool of live calls', '{"steps": [{"expect": {"tool": "verify_p|"}}]}', 'verify_patient'],
    ['a magic person', '{"names": {"who": "Patient/magic-cert|"}}', 'Patient/magic-certain'],
  ])('is completed by %s', async (_what, marked, completed) => {
    const page = await opened('/plans/looks?tab=edit')
    await write(page, marked)
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
    const option = page.getByRole('option', { name: new RegExp(`^${completed.replace('$', '\\$')}`) }).first()
    for (let tries = 0; tries < 50 && !(await option.isVisible()); tries += 1) {
      await editorOf(page).press('Control+ ')
      await page.waitForTimeout(100)
    }
    await option.click()
    expect(await editorOf(page).inputValue()).toContain(`"${completed}"`)
  })

  test('that is wrong says so as it is written, and leads to the step', async () => {
    const page = await opened('/plans/looks?tab=edit')
    await page.getByText('The plan is right').waitFor()
    await editorOf(page).fill(JSON.stringify(PLAN).replace('"search-type"', '"serch-type"'))
    const finding = page.getByRole('status').filter({ hasText: "step 'look'" })
    await finding.getByText('search-type').waitFor()
    await finding.getByRole('button', { name: 'Show it' }).click()
    const selected = await editorOf(page).evaluate((field) => {
      const { value, selectionStart, selectionEnd } = field as HTMLTextAreaElement
      return value.slice(selectionStart, selectionEnd)
    })
    expect(selected).toBe('"id":"look"')
    await editorOf(page).fill('{"plan": "looks",}')
    await page.getByText(/^This is not JSON/).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').last().waitFor()
    expect((await asAdmin('GET', '/plans/looks')).body).toEqual(PLAN)
  })

  test('is saved under another name, and deleted after the time in which that is undone', async () => {
    const page = await opened('/plans/looks?tab=edit')
    await editorOf(page).fill(JSON.stringify({ ...PLAN, title: 'Looks twice' }))
    await page.getByLabel('Save under the name').fill('looks-twice')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Looks twice' }).waitFor()
    expect((await asAdmin('GET', '/plans/looks-twice')).body).toEqual({
      ...PLAN,
      plan: 'looks-twice',
      title: 'Looks twice',
    })
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { level: 1, name: 'Plans' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { level: 1, name: 'Looks twice' }).waitFor()
    expect((await asAdmin('GET', '/plans/looks-twice')).status).toBe(200)
    await page.getByRole('button', { name: 'Delete' }).click()
    const removed = await page.waitForResponse((answer) => answer.request().method() === 'DELETE')
    expect(removed.status()).toBe(204)
    await page.getByRole('link', { name: 'Looks twice' }).waitFor({ state: 'detached' })
  })

  test('of a new plan begins with one step that is right', async () => {
    const page = await opened('/plans')
    await page.getByRole('link', { name: 'New plan' }).click()
    await page.getByText('The plan is right').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'My client' }).waitFor()
    expect((await asAdmin('DELETE', '/plans/my-client')).status).toBe(204)
  })
})

test('a dry run judges the requests of a run that is over, and keeps nothing', async () => {
  const { run, token } = (await asAdmin('POST', '/runs', { plan: 'looks', clientName: 'Recorded' })).body
  const headers = { authorization: `Bearer ${token}` }
  await request(dashboard.server.url, 'GET', '/Slot?status=free&start=ge2026-01-01', undefined, headers)
  await asAdmin('POST', `/runs/${run}/finish`)
  const before = (await asAdmin('GET', '/runs')).body.runs.length
  const page = await opened('/plans/looks?tab=try')
  const traffic = page.getByLabel('Recorded requests')
  await traffic.getByText('Recorded').waitFor({ state: 'attached' })
  await traffic.selectOption(run)
  await page.getByRole('button', { name: 'Try the plan' }).click()
  await page.getByText('2 of 3 steps pass by 1 requests').waitFor()
  await page.getByRole('link', { name: 'GET /Slot?status=free&start=ge2026-01-01 200' }).waitFor()
  expect((await asAdmin('GET', '/runs')).body.runs.length).toBe(before)
})

test('staff read plans, and neither edit nor try nor delete them', async () => {
  const page = await opened('/plans/looks?tab=edit', 'demo')
  await page.getByRole('list', { name: 'Steps' }).waitFor()
  for (const name of ['Edit', 'Dry run']) expect(await page.getByRole('tab', { name }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
})

test('the list at the cursor has no finding of axe', async () => {
  const page = await opened('/plans/looks?tab=edit')
  await write(page, '{"steps": [{"|"}]}')
  await editorOf(page).press('Control+ ')
  await page.getByRole('listbox').waitFor()
  expect(await findingsOf(page)).toEqual([])
})

test('nothing that the pages do is stopped by their Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
