/** Searches that have to wait while stored resources are being indexed by one of their parameters. */
import { FhirError } from '../fhir/outcome.ts'
import { EntriesOutdated, IndexIncomplete } from '../storage/port.ts'

/** A search uses the clinic's own parameters while its resources are still being indexed by them. */
export class CustomIncomplete extends IndexIncomplete {}

/** A 503 that names the parameters to leave out meanwhile. */
export const searchNotReady = (error: IndexIncomplete): FhirError =>
  new FhirError(
    503,
    { code: 'transient', diagnostics: `${reasonOf(error)}; search without that, or try again later` },
    { 'retry-after': error instanceof CustomIncomplete ? '2' : '30' },
  )

function reasonOf(error: IndexIncomplete): string {
  const uses = error.uses.join(', ')
  return error instanceof CustomIncomplete || error instanceof EntriesOutdated
    ? `The search parameters of this clinic have changed, and it is still being indexed by ${uses}; [base]/$reindex-status reports the progress`
    : `This server is a new version, and still indexes the resources stored before it by ${uses}`
}
