/** In which order a clinic's callers give day and month in figures: 03/04/1980. */
export const DATE_ORDERS = ['month-first', 'day-first'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

/** @param region ISO 3166 code of the clinic's country */
export const dateOrderOf = (region: string): DateOrder => (region === 'US' ? 'month-first' : 'day-first')

/** Undefined where the setting is absent: the region decides. */
export function checkDateOrder(value: unknown, problems: string[]): DateOrder | undefined {
  const order = DATE_ORDERS.find((one) => one === value)
  if (value !== undefined && order === undefined)
    problems.push(`dateOrder must be ${DATE_ORDERS.join(' or ')}, or absent for the order of defaultRegion`)
  return order
}
