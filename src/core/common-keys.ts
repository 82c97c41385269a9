/** What must agree besides keys that too many patients have. */
import { isOfFamily, isOfGiven } from '../matching/keys.ts'

/** Patients to look for: those that have one of the keys, and one of the others. */
export interface KeyPair {
  readonly keys: readonly string[]
  readonly others: readonly string[]
}

/**
 * Keys about one thing, and about another one: the family name, the given name, and whatever is no name. Where nothing else
 * is known than one of these, there is nothing that could agree besides.
 * @param tooCommon of patients, or of placeholders; records with a rarer key have been found by it
 */
export function commonPairs(tooCommon: readonly string[]): readonly KeyPair[] {
  const [family, given] = [tooCommon.filter(isOfFamily), tooCommon.filter(isOfGiven)]
  const others = tooCommon.filter((key) => !isOfFamily(key) && !isOfGiven(key))
  return [
    { keys: family, others: [...given, ...others] },
    { keys: given, others },
  ].filter((pair) => pair.keys.length > 0 && pair.others.length > 0)
}
