/** Trace contexts, by https://www.w3.org/TR/trace-context-2/. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { Budget, inSpan, withBudget } from '../../src/isolation/budget.ts'
import { childOf, type EndedSpan, traceOf, traceparentOf } from '../../src/isolation/trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const HEADER = `00-${TRACE}-${SPAN}-01`
const ID = '0192f0c1-9b7a-4c3d-8e2f-aabbccddeeff'
const OWN = '8e2faabbccddeeff'
const all = () => true

describe('a header traceparent', () => {
  test('makes the exchange a child of the span that it names, where spans are recorded', () => {
    const context = traceOf(ID, all, HEADER)
    expect(context).toEqual({ trace: TRACE, span: OWN, parent: SPAN, flags: 1, isRecorded: true })
    expect(traceparentOf(context)).toBe(`00-${TRACE}-${OWN}-01`)
  })

  test('is passed on as it came where no span is recorded: without the switch, and where the client samples none', () => {
    expect(traceparentOf(childOf(traceOf(ID, undefined, HEADER), randomUUID()))).toBe(HEADER)
    const unsampled = `00-${TRACE}-${SPAN}-00`
    expect(traceparentOf(childOf(traceOf(ID, all, unsampled), randomUUID()))).toBe(unsampled)
  })

  test.each([
    ['a later version with more fields', `01-${TRACE}-${SPAN}-01-more`, 1],
    ['a later version without more', `cc-${TRACE}-${SPAN}-00`, 0],
    ['flags that are not known are not passed on', `00-${TRACE}-${SPAN}-ff`, 3],
  ])('is read: %s', (_what, header, flags) => {
    expect(traceOf(ID, all, header)).toMatchObject({ trace: TRACE, flags })
  })

  test.each([
    ['nothing', ''],
    ['a text', 'MARKED'],
    ['the version ff', `ff-${TRACE}-${SPAN}-01`],
    ['more fields than version 00 has', `${HEADER}-01`],
    ['something behind the fields of a later version', `01-${TRACE}-${SPAN}-01more`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capitals', HEADER.toUpperCase()],
    ['too few digits', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['two headers, as Node joins them', `${HEADER}, ${HEADER}`],
    ['a line break', `${HEADER}\n`],
    ['very many digits', `00-${'a'.repeat(100_000)}-${SPAN}-01`],
  ])('is ignored, and a new trace begins: %s', (_what, header) => {
    expect(traceOf(ID, all, header)).toEqual(traceOf(ID, all))
  })
})

test('a new trace has the id of the exchange, so that each leads to the other', () => {
  const trace = ID.replaceAll('-', '')
  expect(traceOf(ID, all)).toEqual({ trace, span: OWN, flags: 3, isRecorded: true })
  expect(traceparentOf(traceOf(ID, undefined))).toBe(`00-${trace}-${OWN}-02`)
  expect(traceOf(ID, () => false)).toMatchObject({ flags: 2, isRecorded: false })
})

describe('a part of a request', () => {
  const budgetOf = (isRecorded = true) => {
    const spans: EndedSpan[] = []
    const trace = () => traceOf(ID, () => isRecorded)
    return { spans, budget: new Budget({ canMove: false, trace, spans: isRecorded ? spans : undefined }) }
  }

  test('is a span, and what it does belongs to that; one within it has it for its parent', async () => {
    const { budget, spans } = budgetOf()
    const result = await withBudget(budget, () =>
      inSpan(
        'outer',
        () => inSpan('inner', async () => budget.trace?.parent),
        (outer = '') => ({ outer }),
      ),
    )
    const [inner, outer] = spans
    expect([inner?.name, outer?.name]).toEqual(['inner', 'outer'])
    expect([inner?.context.parent, outer?.context.parent]).toEqual([outer?.context.span, OWN])
    expect(outer?.attributes).toEqual({ outer: result })
    expect(budget.trace?.span).toBe(OWN)
  })

  test('that throws is one too, and throws', async () => {
    const { budget, spans } = budgetOf()
    const failing = withBudget(budget, () => inSpan('failing', () => Promise.reject(new Error('no'))))
    await expect(failing).rejects.toThrow('no')
    expect(spans).toHaveLength(1)
    expect(budget.trace?.span).toBe(OWN)
  })

  test('is none where nothing is recorded, and of very many the first hundred are', async () => {
    const off = budgetOf(false)
    await withBudget(off.budget, () => inSpan('part', async () => {}))
    expect(off.spans).toEqual([])
    const { budget, spans } = budgetOf()
    for (let part = 0; part < 150; part += 1) await withBudget(budget, () => inSpan('part', async () => {}))
    expect(spans).toHaveLength(100)
  })
})
