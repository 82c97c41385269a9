/** A rule of a fault in words: which requests, and how often. */
import { CONDITIONS, type FaultSetting } from '../api/faults.ts'

/**
 * `requests with type Appointment, the first 2 times`
 * @param any the requests that a rule without a condition is about
 */
export function ruleText(
  { when = {}, on, every, times, until, with: parameters = {} }: FaultSetting,
  any = 'every request of the clinic',
): string {
  const conditions = CONDITIONS.flatMap((name) => (when[name] === undefined ? [] : [`${name} ${when[name]}`]))
  return [
    conditions.length === 0 ? any : `requests with ${conditions.join(' and ')}`,
    ...(on === undefined ? [] : [`number ${on.join(', ')} of them`]),
    ...(every === undefined ? [] : [`one in ${every}`]),
    ...(times === undefined ? [] : [times === 1 ? 'once' : `${times} times at most`]),
    ...(until === undefined ? [] : [`until ${until}`]),
    ...Object.entries(parameters).map(([name, value]) => `${name} ${value}`),
  ].join(', ')
}
