/** The sentence about missing fields. */
import { listed } from '../../spoken/say.ts'

/** Most fields named in one sentence. */
const MOST = 4

export function sayMissing(missing: readonly string[]): string {
  if (missing.length === 0) return 'Nothing is missing any more.'
  const names = missing.slice(0, MOST).map(spoken)
  return `I still need your ${listed(missing.length > MOST ? [...names, 'a few more things'] : names)}.`
}

/** Reads `preferredLocation` and `preferred_location` as words. */
const spoken = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[-_.]+/g, ' ')
    .toLowerCase()
