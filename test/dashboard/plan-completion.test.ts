/** The completion of a plan that is being written: the place of the cursor, what may stand there, and taking it. */
import { describe, expect, test } from '@jest/globals'
import { type Known, namesIn, rangeOfStep, suggestionsAt } from '../../dashboard/pages/plans/suggestions.ts'
import { accepting, type Place, placeIn } from '../../dashboard/parts/json-editor/json-place.ts'

/** `|` is the cursor. */
function placeAt(marked: string): Place | undefined {
  const cursor = marked.indexOf('|')
  return placeIn(marked.replace('|', ''), cursor)
}

describe('the place of the cursor', () => {
  test('is a member of the object around it, by the members that lead there', () => {
    expect(placeAt('{"steps": [{"id": "a"}, {"expect": {"ty|')).toEqual({
      ...{ path: ['steps', 'expect'], isName: true, isQuoted: true, word: 'ty' },
    })
  })

  test('is a value, alone or in a list', () => {
    const value = { path: ['steps', 'expect', 'type'], isName: false, isQuoted: true, word: 'Pat' }
    expect(placeAt('{"steps": [{"expect": {"type": "Pat|"}}]}')).toEqual(value)
    expect(placeAt('{"steps": [{"expect": {"type": ["Slot", "Pat|"]}}]}')).toEqual(value)
  })

  test('may be outside of quotes', () => {
    expect(placeAt('{"steps": [{"do": {fau|')).toEqual({
      ...{ path: ['steps', 'do'], isName: true, isQuoted: false, word: 'fau' },
    })
    expect(placeAt('{"scenario": |}')).toMatchObject({ path: ['scenario'], isName: false, isQuoted: false, word: '' })
  })

  test('is not mistaken by braces, quotes and colons within texts', () => {
    expect(placeAt('{"title": "a { \\" : [", "sc|')).toMatchObject({ path: [], isName: true, word: 'sc' })
  })

  test('outside of the plan is none', () => {
    expect(placeAt('|{}')).toBeUndefined()
  })
})

const KNOWN: Known = {
  faults: [
    {
      ...{ name: 'lost-answer', title: 'Lost', what: 'The answer is lost', true: true, of: 'both' },
      parameters: { 'retry-after': { what: 'Seconds', type: 'integer', default: 1, least: 1, most: 9 } },
    },
  ],
  scenarios: [{ text: 'quiet-week' }],
  tools: [{ text: 'book_appointment' }],
  types: ['Appointment', 'AppointmentResponse', 'Slot'],
  operations: ['$match'],
  people: [{ text: 'Patient/magic-certain', hint: 'is certain' }],
}

const offered = (marked: string, names: readonly string[] = []): readonly string[] => {
  const place = placeAt(marked)
  return place === undefined ? [] : suggestionsAt(place, KNOWN, names).map(({ text }) => text)
}

describe('what may stand there', () => {
  test.each([
    ['{"des|', ['description']],
    ['{"steps": [{"nev|', ['never']],
    ['{"steps": [{"do": {"fa|', ['fault']],
    ['{"steps": [{"do": {"fault": "lo|', ['lost-answer']],
    ['{"steps": [{"do": {"with": {"|', ['retry-after']],
    ['{"steps": [{"do": {"when": {"ru|', []],
    ['{"steps": [{"never": {"interaction": "search-t|', ['search-type']],
    ['{"steps": [{"after": [{"type": "Appoi|', ['Appointment', 'AppointmentResponse']],
    ['{"steps": [{"after": [{"operation": "$|', ['$match']],
    ['{"steps": [{"expect": {"tool": "book|', ['book_appointment']],
    ['{"scenario": "week|', ['quiet-week']],
    ['{"names": {"who": "Pat|', ['Patient/magic-certain']],
    ['{"title": "any|', []],
  ] as const)('%s', (marked, texts) => {
    expect(offered(marked)).toEqual(texts)
  })

  test('are the names of the plan after two braces', () => {
    const text = '{"names": {"who": "Patient/a", "where": "Location/b"}, "steps": [{"state": {"query": "Task?owner={{wh'
    expect(namesIn(text)).toEqual(['who', 'where'])
    expect(offered(`${text}|`, namesIn(text))).toEqual(['{{who}}', '{{where}}'])
  })
})

describe('a suggestion that is taken', () => {
  const taken = (marked: string, chosen: string): string => {
    const cursor = marked.indexOf('|')
    const text = marked.replace('|', '')
    const { from, to, insert } = accepting(text, cursor, placeIn(text, cursor) as Place, chosen)
    return text.slice(0, from) + insert + text.slice(to)
  }

  test('takes the place of the whole word, and closes its quotes', () => {
    expect(taken('{"type": "Sl|xx"}', 'Slot')).toBe('{"type": "Slot"}')
    expect(taken('{"type": "Sl|\n}', 'Slot')).toBe('{"type": "Slot"\n}')
    expect(taken('{"type": Sl|}', 'Slot')).toBe('{"type": "Slot"}')
  })

  test('has a colon after the name of a member, once', () => {
    expect(taken('{"exp|', 'expect')).toBe('{"expect": ')
    expect(taken('{"exp|": {}}', 'expect')).toBe('{"expect": {}}')
  })

  test('leaves the text around the name of a plan alone', () => {
    expect(taken('{"query": "Task?owner={{w|&status=x"}', '{{who}}')).toBe('{"query": "Task?owner={{who}}&status=x"}')
    expect(taken('{"query": "{{w|}}"}', '{{who}}')).toBe('{"query": "{{who}}"}')
  })
})

test('a step is found by its id', () => {
  const text = '{"steps": [{"id": "one"}, {"id" : "two-b"}]}'
  const { from, to } = rangeOfStep(text, 'two-b') ?? { from: 0, to: 0 }
  expect(text.slice(from, to)).toBe('"id" : "two-b"')
  expect(rangeOfStep(text, 'three')).toBeUndefined()
})
