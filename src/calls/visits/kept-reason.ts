/** The caller's reason for coming, or for not coming, in their own words. */
import { keptText } from '../../spoken/kept-text.ts'

/** Most characters of a reason. */
const MAX_LENGTH = 1000

/** Returns undefined if nothing was said. */
export const keptReason = (said: unknown): string | undefined => keptText(said, MAX_LENGTH)
