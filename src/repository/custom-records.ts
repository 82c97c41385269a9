/** The two records of a clinic about its own search parameters; engines know them too (storage/port.ts). */
import { CUSTOM_INDEX, CUSTOM_PARAMETERS } from '../storage/port.ts'
import { recordKind } from './record-kinds.ts'

/** The clinic's own search parameters, in addition to the server's: search/index/custom-parameters.ts. */
export const CUSTOM_DECLARATION = recordKind<unknown>(CUSTOM_PARAMETERS.kind)

/** The progress of indexing by them: search/index/custom-declaration.ts. */
export const CUSTOM_PROGRESS = recordKind<unknown>(CUSTOM_INDEX.kind)

/** The key of both records. */
export const CUSTOM_KEY = CUSTOM_PARAMETERS.key
