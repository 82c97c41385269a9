/** The progress of a copy, as printed for people and for files. */
import { expect, test } from '@jest/globals'
import { Progress } from '../../../scripts/copy/progress.ts'

function shown(isTTY: boolean, total: number, done: number, steps: readonly number[]): string {
  let text = ''
  const output = { isTTY, write: (part: string) => (text += part) }
  const progress = new Progress('Copied', total, done, output)
  for (const step of steps) progress.add(step)
  progress.end()
  return text
}

test('on a terminal one line is redrawn, and ended at the end', () => {
  const lines = shown(true, 2000, 0, [500, 1500]).split('\r')
  expect(lines[1]).toContain(`[${'.'.repeat(30)}] Copied: 0 % (0 of 2,000)`)
  expect(lines.at(-1)).toContain(`[${'#'.repeat(30)}] Copied: 100 % (2,000 of 2,000)`)
  expect(lines.at(-1)?.endsWith('\n')).toBe(true)
  expect(lines.join('').match(/\n/g)).toHaveLength(1)
})

test('elsewhere there are plain lines: one at the beginning, one at the end, none for each step between', () => {
  expect(shown(false, 1000, 250, [250, 250, 250])).toBe('Copied: 25 % (250 of 1,000)\nCopied: 100 % (1,000 of 1,000)\n')
})

test('what is written meanwhile makes it no more than all of it', () => {
  expect(shown(false, 10, 0, [15])).toContain('100 % (15 of 10)')
})

test('nothing is all of nothing', () => {
  expect(shown(false, 0, 0, [])).toContain('100 % (0 of 0)')
})
