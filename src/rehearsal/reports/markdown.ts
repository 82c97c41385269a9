/** The report of a run as Markdown, for a comment on a pull request: https://github.github.com/gfm/. */
import { possibleText } from '../../fhir/xml/narrative.ts'
import type { Evidence, RunReport, StepReport } from '../runs/run.ts'
import type { LinkOf } from './addresses.ts'
import { attestedBy, factsOf, mostUrgentFirst, scoreOf } from './words.ts'

/** Characters of one text, as a comment on GitHub has 65,536 at most. */
const MOST = 500

/** @param linkOf absent: exchanges are named without an address */
export function markdownOf(report: RunReport, linkOf?: LinkOf): string {
  const { title, result, steps, notes } = report
  const lines = [
    `### ${inLine(title)}: ${result}`,
    '',
    `**${scoreOf(report)}**`,
    '',
    '| Result | Step | What came | Exchanges |',
    '|---|---|---|---|',
    ...mostUrgentFirst(steps).map((step) => rowOf(report, step, linkOf)),
    '',
    ...notes.map((note) => `- ${inLine(note)}`),
    ...(notes.length === 0 ? [] : ['']),
    factsOf(report)
      .map(([name, value]) => `${name}: ${inLine(value)}`)
      .join(' · '),
  ]
  return `${lines.join('\n')}\n`
}

function rowOf(report: RunReport, step: StepReport, linkOf: LinkOf | undefined): string {
  const { title, result, optional, message, attested, evidence } = step
  const isGood = result === 'pass' || result === 'skip'
  const cells = [
    isGood ? result : `**${result}**`,
    `${inLine(title)}${optional ? ' (optional)' : ''}`,
    [message, ...(attested === undefined ? [] : [attestedBy(attested)])].map(inLine).join('<br>'),
    evidence.map((one) => evidenceOf(report, one, linkOf)).join('<br>'),
  ]
  return `| ${cells.join(' | ')} |`
}

function evidenceOf(report: RunReport, { exchange, of, line }: Evidence, linkOf: LinkOf | undefined): string {
  const text = inLine(line)
  return `${of}: ${linkOf === undefined ? `${text} (${inLine(exchange)})` : `[${text}](${linkOf(report, exchange)})`}`
}

/**
 * A text of others within a line or a cell: without line breaks, and with all that Markdown or HTML would read in it escaped. A
 * comment keeps an `@` from notifying whoever has that name.
 */
function inLine(text: string): string {
  const short = text.length <= MOST ? text : `${text.slice(0, MOST)}…`
  return possibleText(short)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]<>|~#&$!]/g, '\\$&')
    .replace(/@(?=\w)/g, '@<!-- -->')
}
