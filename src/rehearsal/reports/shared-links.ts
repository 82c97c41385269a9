/** Links by which anybody who has one reads the report of a run, until it expires or is ended. docs/reports.md#share */
import { linkTokenKey, newLinkToken } from '../../clinics/link-token.ts'
import { conflict } from '../../fhir/outcome.ts'
import { recordKind, SERVICE } from '../../repository/record-kinds.ts'
import type { Repository, UnitOfWork } from '../../repository/repository.ts'

/** The first segment of their addresses. */
export const SHARED_REPORTS = 'shared-reports'

export interface SharedReport {
  readonly clinic: string
  readonly run: string
}

/** Stored for the whole service, as a request to open a link names no clinic. */
const SHARED_REPORT = recordKind<SharedReport>('shared-report')

/** The links of a run: the keys of their records, and when they end (ms since 1970 UTC). */
type ReportLinks = readonly { readonly key: string; readonly expiresAt: number }[]

const REPORT_LINKS = recordKind<ReportLinks>('report-links')

/** Links of a run at the same time. */
const MOST = 20

/**
 * Stages a link to a run of the unit's clinic.
 * @param lasts milliseconds
 * @returns its token, and its end in milliseconds since 1970 UTC
 * @throws FhirError 409 where the run has many already
 */
export async function stageLink(
  unit: UnitOfWork,
  run: string,
  lasts: number,
): Promise<{ readonly token: string; readonly expiresAt: number }> {
  const { records, clinic, writtenAt } = unit
  const links = await linksOf(unit, run)
  const lasting = links.filter(({ expiresAt }) => expiresAt > writtenAt)
  if (lasting.length >= MOST)
    throw conflict(`The run has ${MOST} links, which is the most; end them before you make another one`)
  for (const { key } of links.filter((one) => !lasting.includes(one)))
    records.delete(SHARED_REPORT, key, { expect: 'any' })
  const token = newLinkToken()
  const [key, expiresAt] = [linkTokenKey(token), writtenAt + lasts]
  records.put(SHARED_REPORT, key, { clinic, run }, { due: expiresAt })
  records.put(REPORT_LINKS, run, [...lasting, { key, expiresAt }])
  return { token, expiresAt }
}

/** Stages the end of all links to a run. */
export async function stageEndOfLinks(unit: UnitOfWork, run: string): Promise<void> {
  const links = await linksOf(unit, run)
  if (links.length === 0) return
  for (const { key } of links) unit.records.delete(SHARED_REPORT, key, { expect: 'any' })
  unit.records.delete(REPORT_LINKS, run)
}

const linksOf = async ({ records }: UnitOfWork, run: string): Promise<ReportLinks> =>
  (await records.read(REPORT_LINKS, run))?.value ?? []

/** The run that a link leads to. @returns undefined if the token is unknown, or has expired */
export async function findShared(repository: Repository, token: string): Promise<SharedReport | undefined> {
  const record = await repository.readRecord(SERVICE, SHARED_REPORT, linkTokenKey(token))
  return record?.due == null || record.due <= repository.machineTime ? undefined : record.value
}
