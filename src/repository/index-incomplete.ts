/** Searches that have to wait, because stored resources are still being indexed by a parameter that they use. */
import { FhirError } from '../fhir/outcome.ts'
import { EntriesOutdated, IndexIncomplete } from '../storage/port.ts'

/** A search uses parameters of the clinic that its resources are still being indexed by. */
export class CustomIncomplete extends IndexIncomplete {}

/** 503, with what to search without meanwhile. */
export const searchNotReady = (error: IndexIncomplete): FhirError =>
  new FhirError(
    503,
    { code: 'transient', diagnostics: `${reasonOf(error)}; search without that, or try again later` },
    { 'retry-after': error instanceof CustomIncomplete ? '2' : '30' },
  )

function reasonOf(error: IndexIncomplete): string {
  const uses = error.uses.join(', ')
  return error instanceof CustomIncomplete || error instanceof EntriesOutdated
    ? `The search parameters of this clinic have changed, and it is still being indexed by ${uses}; [base]/$reindex-status says how far that is`
    : `This server is new, and still indexes what was stored before it by ${uses}`
}
