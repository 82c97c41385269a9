/** The forms in which the report of a run is sent, by the suffixes of its address. docs/reports.md */
import type { Context as KoaContext } from 'koa'
import { plainPage, plainPolicy } from '../../http/html.ts'
import type { LinkOf } from '../../rehearsal/reports/addresses.ts'
import { junitOf } from '../../rehearsal/reports/junit.ts'
import { markdownOf } from '../../rehearsal/reports/markdown.ts'
import { reportPage } from '../../rehearsal/reports/page.ts'
import { testReportOf } from '../../rehearsal/reports/test-report.ts'
import type { RunReport } from '../../rehearsal/runs/run.ts'

export const FORMATS = ['html', 'xml', 'md', 'json'] as const
type Format = (typeof FORMATS)[number]

const TYPES: Readonly<Record<Format, string>> = {
  html: 'text/html',
  xml: 'application/xml',
  md: 'text/markdown',
  json: 'application/fhir+json',
}

/** @param linkOf absent: exchanges are named without an address, as the readers may not open them */
export function sendReport(koa: KoaContext, format: Format, report: RunReport, linkOf?: LinkOf): void {
  koa.body = written(koa, format, report, linkOf)
  koa.type = `${TYPES[format]}; charset=utf-8`
  // A page of HTML must not tell others its address.
  koa.set('Referrer-Policy', 'no-referrer')
}

function written(koa: KoaContext, format: Format, report: RunReport, linkOf: LinkOf | undefined): string {
  switch (format) {
    case 'html': {
      const page = reportPage(report, linkOf)
      koa.set('Content-Security-Policy', plainPolicy(page))
      return plainPage(page)
    }
    case 'xml':
      return junitOf(report, linkOf)
    case 'md':
      return markdownOf(report, linkOf)
    case 'json':
      return JSON.stringify(testReportOf(report))
  }
}
