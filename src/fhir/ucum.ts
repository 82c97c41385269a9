/**
 * Units of measure: https://ucum.org/ucum and https://hl7.org/fhir/R4/datatypes.html#quantity. Everything that measures
 * the same gets the same unit: `mg/dL` and `g/L` become `g.m-3`.
 * The library is loaded with the first unit, and what it says of a unit is kept: it takes its time.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { distance } from 'fastest-levenshtein'
import { remembering } from './memoize.ts'

export const UCUM = 'http://unitsofmeasure.org'

/** How values of a unit are compared with those of others. */
export interface BaseUnit {
  /** A UCUM code of base units, `m-3.g`; the unit's own where nothing else measures the same. */
  readonly code: string
  /** Grows with the value; twelve digits, so that what is equal stays equal in whatever unit it was written. */
  toBase(value: number): number
}

interface Unit {
  readonly magnitude_: number
  readonly dim_: { readonly dimVec_: readonly number[] | null } | null
  readonly isSpecial_: boolean
  readonly isArbitrary_: boolean
}

interface Library {
  readonly UcumLhcUtils: {
    getInstance(): {
      getSpecifiedUnit(
        code: string,
        how: 'validate',
      ): { readonly unit: Unit | null; readonly retMsg: readonly string[] }
      convertUnitTo(from: string, value: number, to: string): { readonly status: string; readonly toVal: number | null }
    }
  }
  readonly UnitTables: { getInstance(): { readonly unitCodes_: Readonly<Record<string, unknown>> } }
}

const require = createRequire(join(import.meta.dirname, 'ucum.ts'))
let loaded: Library | undefined
const library = (): Library => {
  loaded ??= require('@lhncbc/ucum-lhc') as Library
  return loaded
}
const utils = () => library().UcumLhcUtils.getInstance()

const UNITS_KEPT = 2000
const knownUnit = remembering(UNITS_KEPT, findBaseUnit)

/** undefined when there is no such unit. */
export const baseUnit = (code: string): BaseUnit | undefined => (mayBeUnit(code) ? knownUnit(code) : undefined)

/** The library prints a text with a space, which may be a patient's, takes 0 for 1 and long over a long one. */
const mayBeUnit = (code: string): boolean => /^(?!0$)[\x21-\x7e]{1,64}$/.test(code)

function findBaseUnit(code: string): BaseUnit | undefined {
  const { unit, retMsg } = utils().getSpecifiedUnit(code, 'validate')
  // It also understands names (`gram`), and says what the code would be.
  if (unit === null || retMsg.length > 0 || !Number.isFinite(unit.magnitude_)) return undefined
  if (unit.isSpecial_) return scaleOf(code, unit) ?? alone(code)
  const arbitrary = unit.isArbitrary_ ? arbitraryIn(code) : ''
  if (arbitrary === undefined) return alone(code)
  return { code: joined(dimensionOf(unit), arbitrary), toBase: (value) => rounded(value * unit.magnitude_) }
}

const alone = (code: string): BaseUnit => ({ code, toBase: rounded })

const rounded = (value: number): number => Number(value.toPrecision(12))

const BASE_UNITS = ['m', 's', 'g', 'rad', 'K', 'C', 'cd']

/** '' for a mere number. */
const dimensionOf = ({ dim_ }: Unit): string =>
  (dim_?.dimVec_ ?? [])
    .flatMap((exponent, at) => (exponent === 0 ? [] : [`${BASE_UNITS[at]}${exponent === 1 ? '' : exponent}`]))
    .join('.')

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('.') || '1'

/**
 * A scale with another zero: `Cel`, `[degF]`. Logarithms (`[pH]`, `dB`) are not compared with what they are logarithms
 * of, whose order may even be the opposite.
 */
function scaleOf(code: string, unit: Unit): BaseUnit | undefined {
  const base = dimensionOf(unit)
  if (/[\d./(){}]/.test(code) || base === '') return undefined
  const at = (value: number): number => utils().convertUnitTo(code, value, base).toVal ?? Number.NaN
  // Far apart, so that little is lost where the zeros are.
  const [zero, half, whole] = [at(0), at(5e5), at(1e6)]
  const step = (whole - zero) / 1e6
  if (!(step > 0) || Math.abs((half - zero) / 5e5 - step) > step * 1e-9) return undefined
  return { code: base, toBase: (value) => rounded(zero + value * step) }
}

/**
 * What is defined by an assay is comparable with itself alone: `u[iU]/mL` with `m[iU]/L`, and with no other kind of unit.
 * undefined for more than one such factor in the numerator.
 */
function arbitraryIn(code: string): string | undefined {
  const [, factor, rest] = /^[^/()[\]]*(\[[^\]]+\])(?![-+\d])([^()[\]]*)$/.exec(code.replace(/\{[^}]*\}/g, '')) ?? []
  if (factor === undefined || rest === undefined) return undefined
  return factor === '[IU]' ? '[iU]' : factor
}

/** Codes that look most like what is none, the nearest first: case and brackets count least. */
export function nearestUnits(wrong: string): readonly string[] {
  const [text, letters] = [wrong.slice(0, 64), lettersOf(wrong.slice(0, 64))]
  return Object.keys(library().UnitTables.getInstance().unitCodes_)
    .map((code) => ({ code, letters: distance(letters, lettersOf(code)), all: distance(text, code) }))
    .sort((one, other) => one.letters - other.letters || one.all - other.all)
    .slice(0, 3)
    .map(({ code }) => code)
}

const lettersOf = (text: string): string => text.toLowerCase().replace(/[\s[\]{}_']/g, '')
