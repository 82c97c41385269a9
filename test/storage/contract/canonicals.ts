/** References by canonical url, with and without a version. */
import { describe, expect, test } from '@jest/globals'
import type { Condition, Include, IndexEntry } from '../../../src/search/plan.ts'
import { addresses, type Clinic, ids, inner, reference, token } from '../fixtures.ts'
import type { NewClinic } from './clinics.ts'

const URL = 'http://x.org/q'
const named = (text: string): IndexEntry => ({
  kind: 'reference',
  param: 'canonical:questionnaire',
  type: '',
  id: text,
})
const called = (...texts: readonly string[]): readonly IndexEntry[] =>
  texts.map((id) => ({ kind: 'reference', param: '_canonical', type: '', id }))

async function filled(clinic: Clinic): Promise<Clinic> {
  await clinic.put('Questionnaire/1', [token('status', 'active'), ...called(URL, `${URL}|1`)])
  await clinic.put('Questionnaire/2', [token('status', 'draft'), ...called(URL, `${URL}|2`)])
  await clinic.put('Questionnaire/3', [token('status', 'active'), ...called('http://x.org/other')])
  await clinic.put('QuestionnaireResponse/any', [named(URL), token('author', 'a')])
  await clinic.put('QuestionnaireResponse/1', [named(`${URL}|1`), token('author', 'b')])
  await clinic.put('QuestionnaireResponse/2', [named(`${URL}|2`), token('author', 'c')])
  await clinic.put('QuestionnaireResponse/3', [named(`${URL}|3`), token('author', 'd')])
  await clinic.put('QuestionnaireResponse/address', [reference('questionnaire', 'Questionnaire/1')])
  await clinic.put(
    'Basic/1',
    inner('_contained', '#QuestionnaireResponse', 'Basic/1#r', [named('http://x.org/other'), token('author', 'e')]),
  )
  return clinic
}

const status = (code: string): Condition => ({ kind: 'token', param: 'status', code })
const author = (code: string): Condition => ({ kind: 'token', param: 'author', code })
const chain = (where: Condition): Condition => ({
  kind: 'chain',
  param: 'questionnaire',
  types: ['Questionnaire'],
  canonical: true,
  where,
})
const has = (where: Condition): Condition => ({
  kind: 'has',
  type: 'QuestionnaireResponse',
  param: 'questionnaire',
  canonical: true,
  where,
})
const anything: Condition = { kind: 'all', of: [] }

const ROWS: readonly (readonly [string, string, readonly Condition[], string])[] = [
  ['a url without a version names every version', 'QuestionnaireResponse', [chain(status('draft'))], '2 any'],
  ['a url with a version names that one', 'QuestionnaireResponse', [chain(status('active'))], '1 any'],
  ['a version that is not there', 'QuestionnaireResponse', [{ kind: 'not', of: chain(anything) }], '3 address'],
  [
    'one of two conditions',
    'QuestionnaireResponse',
    [{ kind: 'any', of: [chain(status('draft')), chain(status('active'))] }],
    '1 2 any',
  ],
  [
    'by address as well',
    'QuestionnaireResponse',
    [
      {
        kind: 'any',
        of: [
          chain(status('active')),
          { kind: 'chain', param: 'questionnaire', types: ['Questionnaire'], where: status('active') },
        ],
      },
    ],
    '1 address any',
  ],
  ['by its id', 'QuestionnaireResponse', [chain({ kind: 'id', ids: ['2'] })], '2 any'],
  ['what names all versions', 'Questionnaire', [has(author('a'))], '1 2'],
  ['what names one version', 'Questionnaire', [has(author('b'))], '1'],
  ['what names none', 'Questionnaire', [has(author('d'))], ''],
  ['what names it within another resource', 'Questionnaire', [has(author('e'))], '3'],
  ['not what names it', 'Questionnaire', [{ kind: 'not', of: has(author('c')) }], '1 3'],
  ['there and back', 'Questionnaire', [has(chain(status('draft')))], '1 2'],
]

const follow = (more: Partial<Include> = {}): Include => ({
  source: 'QuestionnaireResponse',
  param: 'questionnaire',
  canonical: ['Questionnaire'],
  reverse: false,
  iterate: false,
  ...more,
})

export function describeCanonicals(newClinic: NewClinic): void {
  describe('canonicals', () => {
    test('are followed by url and version, forwards and backwards', async () => {
      const clinic = await filled(newClinic())
      for (const [name, type, where, expected] of ROWS) {
        const found = ids((await clinic.search(type, { where })).matches).toSorted()
        expect([name, found.join(' ')]).toEqual([name, expected])
      }
    })

    test('are included, and include', async () => {
      const clinic = await filled(newClinic())
      const included = async (type: string, id: string, include: Include) => {
        const answer = await clinic.search(type, { where: [{ kind: 'id', ids: [id] }], include: [include] })
        return addresses(answer.included).toSorted().join(' ')
      }
      expect(await included('QuestionnaireResponse', '1', follow())).toBe('Questionnaire/1')
      expect(await included('QuestionnaireResponse', 'any', follow())).toBe('Questionnaire/1 Questionnaire/2')
      expect(await included('QuestionnaireResponse', '3', follow())).toBe('')
      expect(await included('QuestionnaireResponse', '1', follow({ canonical: ['Measure'] }))).toBe('')
      expect(await included('Questionnaire', '1', follow({ reverse: true }))).toBe(
        'QuestionnaireResponse/1 QuestionnaireResponse/any',
      )
      expect(await included('Questionnaire', '3', follow({ reverse: true }))).toBe('')
    })

    test('lead nowhere once the definition is deleted or called otherwise', async () => {
      const clinic = await filled(newClinic())
      await clinic.delete('Questionnaire/2')
      await clinic.put('Questionnaire/1', called('http://x.org/renamed'))
      expect((await clinic.search('QuestionnaireResponse', { where: [chain(anything)] })).matches).toEqual([])
      expect((await clinic.search('QuestionnaireResponse', { include: [follow()] })).included).toEqual([])
    })

    test('of one clinic lead to no definition of another', async () => {
      await filled(newClinic())
      const other = newClinic()
      await other.put('QuestionnaireResponse/1', [named(URL)])
      expect((await other.search('QuestionnaireResponse', { where: [chain(anything)] })).matches).toEqual([])
      expect((await other.search('QuestionnaireResponse', { include: [follow()] })).included).toEqual([])
    })
  })
}
