import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { UnorderedList } from '../../src/isolation/unordered-list.ts'

describe('Bag', () => {
  test('holds what was added and not removed, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant('add' as const), fc.nat(20))), (steps) => {
        const bag = new UnorderedList<number>()
        const model = new Map<number, () => void>()
        for (const [number, step] of steps.entries()) {
          if (step === 'add') model.set(number, bag.add(number))
          else {
            const [member, remove] = [...model][step % Math.max(1, model.size)] ?? []
            remove?.()
            // A second call must not remove the one that has taken the place.
            remove?.()
            if (member !== undefined) model.delete(member)
          }
          expect([...bag].sort((a, b) => a - b)).toEqual([...model.keys()].sort((a, b) => a - b))
          expect(bag.size).toBe(model.size)
        }
      }),
    )
  })

  test('members can be removed while they are iterated', () => {
    const bag = new UnorderedList<string>()
    const removals = new Map(['a', 'b', 'c'].map((member) => [member, bag.add(member)]))
    const seen: string[] = []
    for (const member of bag) {
      seen.push(member)
      removals.get(member)?.()
    }
    expect(seen).toEqual(['a', 'b', 'c'])
    expect(bag.size).toBe(0)
  })
})
