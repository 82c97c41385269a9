/** The report of a run as JUnit XML. */
import { describe, expect, test } from '@jest/globals'
import { attributeOf, isElement, parseXml, type XmlElement } from '../../../src/fhir/xml/parse.ts'
import { exchangePage } from '../../../src/rehearsal/reports/addresses.ts'
import { junitOf } from '../../../src/rehearsal/reports/junit.ts'
import { ALL_VERDICTS, HOSTILE, REPORT, withText } from './a-report.ts'
import { junitProblems } from './junit-schema.ts'

const elementsOf = (element: XmlElement, name: string): readonly XmlElement[] =>
  element.children
    .filter(isElement)
    .flatMap((child) => [...(child.name === name ? [child] : []), ...elementsOf(child, name)])

const textOf = ({ children }: XmlElement): string =>
  children.map((child) => (isElement(child) ? textOf(child) : child.text)).join('')

const suiteOf = (text: string): XmlElement => elementsOf(parseXml(text), 'testsuite')[0] as XmlElement

describe('the schema of Jenkins', () => {
  test('has every report', () => {
    for (const report of [REPORT, ALL_VERDICTS, { ...REPORT, steps: [], notes: [] }])
      expect(junitProblems(junitOf(report, exchangePage))).toEqual([])
  })

  test.each(HOSTILE)('has a report with the text %j', (text) => {
    expect(junitProblems(junitOf(withText(text), exchangePage))).toEqual([])
  })

  test('refuses what it does not have', () => {
    const problems = junitProblems('<testsuite name="x"><testcase><mystery/></testcase>text</testsuite>')
    expect(problems).toEqual([
      ...['testsuite lacks tests', 'testsuite lacks failures', 'testsuite lacks errors', 'testsuite has text'],
      ...['testcase lacks name', 'mystery is within testcase', '<mystery> is not known'],
    ])
  })
})

describe('a report', () => {
  test('is one test suite with its counts, the time that the run took and when it began', () => {
    const suite = suiteOf(junitOf(REPORT))
    const attributes = Object.fromEntries(suite.attributes.map(({ name, value }) => [name, value]))
    expect(attributes).toEqual({
      ...{ name: 'Books, moves and cancels', id: 'run-7c31', tests: '4', failures: '1', errors: '0', skipped: '1' },
      ...{ time: '90.500', timestamp: '2026-11-28T01:59:30.000Z' },
    })
  })

  test('has a test case for each step, a failing one with the message and the addresses of its exchanges', () => {
    const suite = suiteOf(junitOf(REPORT, exchangePage))
    expect(elementsOf(suite, 'testcase').map((one) => attributeOf(one, 'name'))).toEqual([
      'look: Looks for free slots in a range',
      'once: Books once although the response was lost',
      'told: The caller is told the true time',
      'cancel: Cancels',
    ])
    const [failure] = elementsOf(suite, 'failure')
    if (failure === undefined) throw new Error('no failure')
    expect(attributeOf(failure, 'message')).toBe('Expected no second request with the same body, and it came')
    expect(textOf(failure)).toContain(
      'never: POST /Appointment 201, 2026-11-28T02:00:00.000Z (http://127.0.0.1:3000/dashboard/journal/9b2f6c1e-0000-4000-8000-000000000003)',
    )
  })

  test('tells the run, the plan and the client as properties', () => {
    const properties = elementsOf(suiteOf(junitOf(REPORT)), 'property').map((one) => [
      attributeOf(one, 'name'),
      attributeOf(one, 'value'),
    ])
    expect(Object.fromEntries(properties)).toEqual({
      ...{ client: 'Scheduler 2.1', plan: 'booking-lifecycle 1.0.0', run: 'run-7c31', status: 'finished' },
      ...{ clinic: 'demo-clinic', base: 'http://127.0.0.1:3000/as/oracle-r4', strictness: 'oracle-r4' },
      ...{ scenario: 'busy-monday', started: '2026-11-28T01:59:30.000Z', ended: '2026-11-28T02:01:00.500Z' },
      ...{ result: 'fail', score: '66' },
    })
  })

  test('counts what is pending as an error, so that an unfinished run is no success, and what nobody attested as skipped', () => {
    const suite = suiteOf(junitOf(ALL_VERDICTS))
    const outcomes = elementsOf(suite, 'testcase').map((one) => one.children.filter(isElement)[0])
    expect(outcomes.map((one) => [one?.name, one && attributeOf(one, 'type')])).toEqual([
      ['system-out', undefined],
      ['skipped', 'skip'],
      ['error', 'pending'],
      ['skipped', 'warning'],
      ['error', 'error'],
      ['failure', 'fail'],
    ])
    expect(['errors', 'failures', 'skipped'].map((name) => attributeOf(suite, name))).toEqual(['2', '1', '2'])
  })

  test('keeps line breaks of a message, and has U+FFFD in place of what is no character of XML', () => {
    const [first] = elementsOf(suiteOf(junitOf(withText('one\ntwo \u0000 <three>'))), 'failure')
    expect(first && attributeOf(first, 'message')).toBe('one\ntwo \u{fffd} <three>')
  })

  test('names exchanges by their ids alone where readers cannot open them', () => {
    const text = junitOf(REPORT)
    expect(text).toContain('9b2f6c1e-0000-4000-8000-000000000003')
    expect(text).not.toContain('/dashboard/')
  })

  test('is the same for the same run', () => {
    expect(junitOf(structuredClone(REPORT), exchangePage)).toBe(junitOf(REPORT, exchangePage))
  })
})
