/** Addresses of stores: whether two of them are the same one. */
import { resolve } from 'node:path'
import { expect, test } from '@jest/globals'
import { storeName } from '../../../scripts/copy/address.ts'

test.each([
  ['sqlite:data/emr.db', `sqlite:${resolve('data/emr.db')}`],
  ['sqlite:/data/../emr.db', 'sqlite:/emr.db'],
  ['mongodb://127.0.0.1:27017/emr?replicaSet=rs0', 'mongodb://127.0.0.1:27017/emr'],
  ['mongodb://nora:secret@b,a/clinic', 'mongodb://a,b/clinic'],
  ['mongodb://a', 'mongodb://a/emr'],
  ['mongodb://a/?replicaSet=rs0', 'mongodb://a/emr'],
  ['mongodb+srv://nora@cluster.example.org/emr', 'mongodb://cluster.example.org/emr'],
])('%s is the store %s', (address, name) => {
  expect(storeName(address)).toBe(name)
})

test.each(['', 'emr.db', 'sqlite:', 'sqlite::memory:', 'mongodb://', 'http://a/b'])('%p is no store', (address) => {
  expect(() => storeName(address)).toThrow('is no store: give sqlite:<file> or mongodb://<host>/<database>')
})
