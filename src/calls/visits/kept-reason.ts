/** Why a caller comes, or does not, in their words. */
import { keptText } from '../../spoken/kept-text.ts'

/** Characters. */
const MAX_LENGTH = 1000

/** Undefined where nothing was said. */
export const keptReason = (said: unknown): string | undefined => keptText(said, MAX_LENGTH)
