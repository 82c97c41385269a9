/** The two records of a clinic about its own search parameters; engines know them too (storage/port.ts). */
import { CUSTOM_INDEX, CUSTOM_PARAMETERS } from '../storage/port.ts'
import { recordKind } from './record-kinds.ts'

/** What the clinic's resources are searched by besides what the server knows: search/index/custom-parameters.ts. */
export const CUSTOM_DECLARATION = recordKind<unknown>(CUSTOM_PARAMETERS.kind)

/** How far its resources are indexed by that: search/index/custom-progress.ts. */
export const CUSTOM_PROGRESS = recordKind<unknown>(CUSTOM_INDEX.kind)

/** The key of both. */
export const CUSTOM_KEY = CUSTOM_PARAMETERS.key
