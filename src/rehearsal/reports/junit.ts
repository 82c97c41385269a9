/**
 * The report of a run as JUnit XML, for continuous integration, in the form that Jenkins takes: junit-10.xsd of
 * https://github.com/jenkinsci/xunit-plugin.
 */
import { attributeText, contentText } from '../../fhir/xml/narrative.ts'
import type { RunReport, StepReport, Verdict } from '../runs/run.ts'
import type { LinkOf } from './addresses.ts'
import { attestedBy, factsOf, scoreOf } from './words.ts'

/** Elements by verdict; a step that is still pending is an error, as nothing undecided may look like a success. */
const ELEMENTS: Readonly<Record<Verdict, 'failure' | 'error' | 'skipped' | undefined>> = {
  pass: undefined,
  fail: 'failure',
  error: 'error',
  pending: 'error',
  warning: 'skipped',
  skip: 'skipped',
}

/** @param linkOf absent: exchanges are named without an address */
export function junitOf(report: RunReport, linkOf?: LinkOf): string {
  const { title, steps } = report
  const cases = steps.flatMap((step) => testCase(report, step, linkOf))
  const counts = { tests: steps.length, failures: countOf(steps, 'failure'), errors: countOf(steps, 'error') }
  const time = secondsOf(report)
  const suite = { name: title, ...counts, skipped: countOf(steps, 'skipped'), time, timestamp: report.startedAt }
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: report.plan, time, ...counts })}>`,
    `<testsuite${attributes({ ...suite, id: report.run })}>`,
    '<properties>',
    ...[...factsOf(report), ['result', report.result], ['score', String(report.score)]].map(
      ([name = '', value = '']) => `<property${attributes({ name, value })}/>`,
    ),
    '</properties>',
    ...cases,
    `<system-out>${contentText([scoreOf(report), ...report.notes].join('\n'))}</system-out>`,
    '</testsuite>',
    '</testsuites>',
  ]
  return `${lines.join('\n')}\n`
}

const countOf = (steps: readonly StepReport[], element: string): number =>
  steps.filter(({ result }) => ELEMENTS[result] === element).length

/** Seconds from the start to the end of the run; an open one has taken none so far. */
const secondsOf = ({ startedAt, endedAt = startedAt }: RunReport): string =>
  (Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)) / 1000).toFixed(3)

function testCase(report: RunReport, step: StepReport, linkOf: LinkOf | undefined): readonly string[] {
  const { id, title, message, result } = step
  const element = ELEMENTS[result]
  const text = contentText(linesOf(report, step, linkOf).join('\n'))
  return [
    `<testcase${attributes({ name: `${id}: ${title}`, classname: report.plan })}>`,
    element === undefined
      ? `<system-out>${text}</system-out>`
      : `<${element}${attributes({ type: result, message })}>${text}</${element}>`,
    '</testcase>',
  ]
}

function linesOf(
  report: RunReport,
  { message, source, evidence, attested }: StepReport,
  linkOf: LinkOf | undefined,
): readonly string[] {
  const exchanges = evidence.map(({ exchange, of, at, line }) => {
    const where = linkOf === undefined ? exchange : linkOf(report, exchange)
    return `${of}: ${line}, ${at} (${where})`
  })
  return [message, ...(attested === undefined ? [] : [attestedBy(attested)]), ...exchanges, `Source: ${source}`]
}

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${attributeText(String(value))}"`)
    .join('')
