/** The report of a run as a page for people, without scripts: on a screen, on paper, in light and in darkness. */
import { attributeText, contentText } from '../../fhir/xml/narrative.ts'
import type { Evidence, RunReport, StepReport, Verdict } from '../runs/run.ts'
import type { LinkOf } from './addresses.ts'
import { attestedBy, factsOf, scoreOf } from './words.ts'

/** CSS of the page; each verdict is a word too, not a colour alone. */
export const REPORT_STYLE = `:root { background: light-dark(#ffffff, #14181d); color: light-dark(#1b1f24, #e6e9ed) }
body { max-width: 70rem; margin: 2rem auto }
a { color: light-dark(#0a4fa8, #8cc4ff) }
h2 { font-size: 1.2rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% }
caption { text-align: left; color: light-dark(#4b5563, #a9b4c0); padding: .25rem 0 }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid light-dark(#c5ccd4, #3a434d) }
th[scope=row] { font-weight: 600 }
td ul { margin: 0; padding-left: 1rem }
small { color: light-dark(#4b5563, #a9b4c0) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem }
dd { margin: 0 }
strong { white-space: nowrap }
.pass { color: light-dark(#11632f, #7ddb9a) }
.fail { color: light-dark(#b00020, #ffb4ab) }
.error { color: light-dark(#8a2a00, #ffb68f) }
.warning, .pending { color: light-dark(#6b4e00, #f2cf63) }
.skip { color: light-dark(#4b5563, #a9b4c0) }
@media (max-width: 40rem) { table { min-width: 36rem } }
@media print {
:root { color-scheme: light }
body { margin: 0; max-width: none; font-size: 10pt }
tr { break-inside: avoid }
thead { display: table-header-group }
a { color: inherit }
}`

/** Title and markup. @param linkOf absent: exchanges are named without a link */
export const reportPage = (
  report: RunReport,
  linkOf?: LinkOf,
): { readonly title: string; readonly body: string; readonly style: string } => ({
  title: report.title,
  style: REPORT_STYLE,
  body: [
    `<p><strong${classOf(report.result)}>${report.result}</strong>: ${contentText(scoreOf(report))}</p>`,
    `<dl>${factsOf(report).map(factOf).join('\n')}</dl>`,
    stepsTable(report, linkOf),
    listOf('Notes', report.notes),
    trafficTable(report),
    usedTable(report),
  ].join('\n'),
})

const classOf = (verdict: Verdict): string => ` class="${verdict}"`

const factOf = ([name, value]: readonly [string, string]): string =>
  `<dt>${contentText(name)}</dt><dd>${contentText(value)}</dd>`

interface Table {
  readonly heading: string
  readonly caption: string
  readonly columns: readonly string[]
  /** Markup. */
  readonly rows: readonly string[]
}

const tableOf = ({ heading, caption, columns, rows }: Table): string => `<h2>${heading}</h2>
<table>
<caption>${caption}</caption>
<thead><tr>${columns.map((column) => `<th scope="col">${column}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`

/** @param cells markup, the first being the name of the row */
const rowOf = ([name = '', ...cells]: readonly string[]): string =>
  `<tr><th scope="row">${name}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`

const stepsTable = (report: RunReport, linkOf: LinkOf | undefined): string =>
  tableOf({
    heading: 'Steps',
    caption: 'The steps of the plan in its order, each with the exchanges that prove it',
    columns: ['Step', 'Result', 'What was expected, and what came', 'Exchanges'],
    rows: report.steps.map((step) => stepRow(report, step, linkOf)),
  })

function stepRow(report: RunReport, step: StepReport, linkOf: LinkOf | undefined): string {
  const { id, title, result, optional, message, source, attested, evidence } = step
  const exchanges = evidence.map((one) => `<li>${evidenceOf(report, one, linkOf)}</li>`)
  return rowOf([
    `${contentText(title)}<br><small>${contentText(id)}${optional ? ', optional' : ''}</small>`,
    `<strong${classOf(result)}>${result}</strong>`,
    [
      contentText(message),
      ...(attested === undefined ? [] : [contentText(attestedBy(attested))]),
      `<small>Source: ${contentText(source)}</small>`,
    ].join('<br>'),
    exchanges.length === 0 ? 'none' : `<ul>${exchanges.join('')}</ul>`,
  ])
}

function evidenceOf(report: RunReport, { exchange, of, at, line }: Evidence, linkOf: LinkOf | undefined): string {
  const text = contentText(line)
  const shown =
    linkOf === undefined
      ? `${text} <small>${contentText(exchange)}</small>`
      : `<a href="${attributeText(linkOf(report, exchange))}">${text}</a>`
  return `${of}: ${shown} <small>${contentText(at)}</small>`
}

const listOf = (heading: string, texts: readonly string[]): string =>
  texts.length === 0
    ? ''
    : `<h2>${heading}</h2>\n<ul>${texts.map((one) => `<li>${contentText(one)}</li>`).join('')}</ul>`

function trafficTable({ traffic }: RunReport): string {
  const { exchanges, tools, byStatus, latency } = traffic
  const rows = [
    ['Exchanges', String(exchanges)],
    ['Tool calls', String(tools)],
    ...Object.entries(byStatus).map(([status, count]) => [
      status === 'none' ? 'Without a response' : `Status ${contentText(status)}`,
      String(count),
    ]),
    ['Median latency', `${latency.median} ms`],
    ['95th percentile of the latency', `${latency.p95} ms`],
  ]
  return tableOf({
    heading: 'Traffic',
    caption: 'What the client sent during the run',
    columns: ['Measure', 'Number'],
    rows: rows.map(rowOf),
  })
}

function usedTable({ observed }: RunReport): string {
  const { types, interactions, operations, tools } = observed
  const system = { interactions, searchParameters: [], operations }
  const ofSystem = interactions.length + operations.length === 0 ? [] : [['the whole system', system] as const]
  const table = tableOf({
    heading: 'Used interfaces',
    caption: 'What the client was seen to use',
    columns: ['Type', 'Interactions', 'Search parameters', 'Operations'],
    rows: [...Object.entries(types), ...ofSystem].map(([name, used]) =>
      rowOf(
        [name, used.interactions.join(', '), used.searchParameters.join(', '), used.operations.join(', ')].map(
          contentText,
        ),
      ),
    ),
  })
  return `${table}\n${listOf('Tools of live calls', tools)}`
}
