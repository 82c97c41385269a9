/** Whether a Bundle may hold the event loop for long: decided from its entries, before any is carried out. */
import { isObject } from '../../fhir/resource.ts'

/** Most entries of a Bundle that may start on the event loop. */
const MAX_ENTRIES = 20
/** Entries that search: searches, histories, and conditional interactions. */
const MAX_SEARCHES = 3

/** @param bundle any JSON value */
export function isExpensiveBundle(bundle: unknown): boolean {
  const { type, entry } = isObject(bundle) ? bundle : {}
  if (!Array.isArray(entry)) return false
  if (entry.length > MAX_ENTRIES) return true
  const kinds = entry.map(kindOf)
  const count = (kind: EntryKind): number => kinds.filter((one) => one === kind).length
  const [searches, writes] = [count('search'), count('write')]
  if (count('operation') > 0 || searches + count('conditional write') > MAX_SEARCHES) return true
  // Work after a commit cannot restart in a work thread: further writes of a batch, and searches, which see what was
  // written.
  const all = writes + count('conditional write')
  return type === 'batch' ? all > 1 || (all > 0 && searches > 0) : all > 0 && searches > 0
}

type EntryKind = 'read' | 'search' | 'write' | 'conditional write' | 'operation'

function kindOf(entry: unknown): EntryKind {
  const request = isObject(entry) && isObject(entry.request) ? entry.request : {}
  const { method, url, ifNoneExist } = request
  const address = typeof url === 'string' ? url : ''
  if (address.includes('$')) return 'operation'
  if (method !== 'GET' && method !== 'HEAD')
    return ifNoneExist !== undefined || address.includes('?') ? 'conditional write' : 'write'
  return POINT_READ.test(address) ? 'read' : 'search'
}

/** `Type/id` or `Type/id/_history/1`, with or without a base. */
const POINT_READ = /[A-Z][A-Za-z]+\/[A-Za-z0-9.-]{1,64}(?:\/_history\/\d+)?$/
