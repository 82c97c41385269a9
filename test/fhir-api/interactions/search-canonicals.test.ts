/** References by canonical url over HTTP, in two clinics: https://hl7.org/fhir/R4/references.html#canonical. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Fixture, put } from '../../support/put.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  for (const resource of FIXTURE) await put(clinics.ours, resource)
  await put(clinics.theirs, answers('theirs', `${URL}|1.0`))
})
afterAll(() => clinics.server.close())

const URL = 'http://example.org/Questionnaire/intake'
const questionnaire = (id: string, url: string, version: string, title: string) => ({
  resourceType: 'Questionnaire',
  id,
  status: 'active',
  url,
  version,
  title,
})
const answers = (id: string, canonical: string, more: object = {}) => ({
  resourceType: 'QuestionnaireResponse',
  id,
  status: 'completed',
  questionnaire: canonical,
  ...more,
})
const library = (id: string, artifact: string) => ({
  resourceType: 'Library',
  id,
  status: 'active',
  type: { text: 'logic' },
  url: `http://example.org/Library/${id}`,
  relatedArtifact: [{ type: 'depends-on', resource: artifact }],
})

const FIXTURE: readonly Fixture[] = [
  questionnaire('one', URL, '1.0', 'First'),
  questionnaire('two', URL, '2.0', 'Second'),
  answers('any', URL),
  answers('first', `${URL}|1.0`),
  answers('second', `${URL}|2.0`),
  answers('none', `${URL}|3.0`),
  answers('contained', '#q', { contained: [{ ...questionnaire('q', 'http://example.org/inside', '1', 'Inside') }] }),
  library('base', 'http://example.org/elsewhere'),
  library('derived', 'http://example.org/Library/base'),
]

const search = async (query: string, fhir = clinics.ours) => {
  const { status, body } = await fhir('GET', `/${query}`)
  expect([query, status]).toEqual([query, 200])
  const entries: readonly { resource: Fixture; search: { mode: string } }[] = body.entry ?? []
  const ids = (mode: string) =>
    entries
      .filter((entry) => entry.search.mode === mode)
      .map(({ resource }) => resource.id)
      .toSorted()
  return { matches: ids('match'), included: ids('include') }
}

describe('a canonical is followed by url and version', () => {
  test.each<readonly [string, readonly string[]]>([
    ['QuestionnaireResponse?questionnaire.title=first', ['any', 'first']],
    ['QuestionnaireResponse?questionnaire:Questionnaire.title=second', ['any', 'second']],
    ['QuestionnaireResponse?questionnaire.version=3.0', []],
    ['QuestionnaireResponse?questionnaire.title=inside', ['contained']],
    ['Questionnaire?_has:QuestionnaireResponse:questionnaire:_id=first', ['one']],
    ['Questionnaire?_has:QuestionnaireResponse:questionnaire:_id=any', ['one', 'two']],
    ['Questionnaire?_has:QuestionnaireResponse:questionnaire:_id=none', []],
    ['Library?depends-on:Library.url=http://example.org/Library/base', ['derived']],
    ['Library?_has:Library:depends-on:_id=derived', ['base']],
    [`Questionnaire?url=${URL}|2.0`, ['two']],
  ])('%s finds %j', async (query, expected) => {
    expect((await search(query)).matches).toEqual(expected)
  })

  test.each<readonly [string, readonly string[]]>([
    ['QuestionnaireResponse?_id=first&_include=QuestionnaireResponse:questionnaire', ['one']],
    ['QuestionnaireResponse?_id=any&_include=QuestionnaireResponse:questionnaire:Questionnaire', ['one', 'two']],
    ['QuestionnaireResponse?_id=none&_include=QuestionnaireResponse:questionnaire', []],
    ['QuestionnaireResponse?_id=second&_include=QuestionnaireResponse:*', ['two']],
    ['QuestionnaireResponse?_id=second&_include=*', ['two']],
    ['Questionnaire?_id=two&_revinclude=QuestionnaireResponse:questionnaire', ['any', 'second']],
    ['Questionnaire?_id=two&_revinclude=*', ['any', 'second']],
    [
      'QuestionnaireResponse?_id=first&_include=QuestionnaireResponse:questionnaire&_revinclude:iterate=QuestionnaireResponse:questionnaire',
      ['any', 'one'],
    ],
    ['Library?_id=derived&_include=Library:depends-on', ['base']],
    ['Library?_id=base&_revinclude=Library:depends-on', ['derived']],
  ])('%s includes %j', async (query, expected) => {
    expect((await search(query)).included).toEqual(expected)
  })

  test('of the clinic alone', async () => {
    expect((await search('QuestionnaireResponse?questionnaire.title=first', clinics.theirs)).matches).toEqual([])
    const query = 'QuestionnaireResponse?_include=QuestionnaireResponse:questionnaire'
    expect(await search(query, clinics.theirs)).toEqual({ matches: ['theirs'], included: [] })
  })
})

test('a reference with a version includes that version', async () => {
  await put(clinics.ours, { resourceType: 'Patient', id: 'versioned', birthDate: '1980-01-01' })
  await put(clinics.ours, { resourceType: 'Patient', id: 'versioned', birthDate: '1990-01-01' })
  await put(clinics.ours, {
    resourceType: 'Provenance',
    id: 'of-first',
    target: [{ reference: 'Patient/versioned/_history/1' }],
    recorded: '2026-01-01T00:00:00Z',
    agent: [{ who: { display: 'somebody' } }],
  })
  const { body } = await clinics.ours('GET', '/Provenance?_id=of-first&_include=Provenance:target')
  const [, included] = body.entry
  expect([included.resource.meta.versionId, included.resource.birthDate]).toEqual(['1', '1980-01-01'])
  expect(included.fullUrl).toMatch(/\/Patient\/versioned$/)
  // A change after such a search is based on the newest version, not on the included one.
  await put(clinics.ours, { resourceType: 'Patient', id: 'versioned', birthDate: '2000-01-01' })
})
