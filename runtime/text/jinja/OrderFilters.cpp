// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters that compare elements.

#include "runtime/text/jinja/Elements.h"
#include "runtime/text/jinja/Filters.h"
#include "runtime/text/jinja/Operators.h"
#include "runtime/text/jinja/Parts.h"
#include "runtime/text/jinja/Strings.h"

#include <algorithm>
#include <set>

using namespace heddle::text;
using namespace heddle::text::jinja;

namespace {

/// What elements are compared by: themselves or an attribute, in lower case
/// where case counts for nothing.
struct Key {
  Context &context;
  const Value *attribute; ///< null for none
  bool isCaseSensitive;
  const Value *fallback = nullptr;

  Key(Context &context, const Value *attribute, bool isCaseSensitive)
      : context(context),
        attribute(attribute && !attribute->isNone() ? attribute : nullptr),
        isCaseSensitive(isCaseSensitive) {}

  Value lowered(const Value &value) const {
    if (isCaseSensitive || !value.isText())
      return value;
    context.addWork(value.text().size());
    return Value(lowerOf(value.text()));
  }

  Value of(const Value &element) const {
    return lowered(attribute
                       ? attributeByPath(context, element, *attribute, fallback)
                       : element);
  }
};

/// An element and its key.
using Keyed = std::pair<Value, Value>;

} // namespace

static std::vector<Keyed> keyed(const FilterCall &call, const Key &key) {
  std::vector<Keyed> all;
  for (const Value &element : elementsOf(call.context, call.operand))
    all.emplace_back(key.of(element), element);
  call.context.addWork(all.size() * sizeof(Keyed));
  return all;
}

/// Equal ones keep their order, in both directions.
static void sortByKey(const FilterCall &call, std::vector<Keyed> &all,
                      bool isReverse) {
  std::stable_sort(all.begin(), all.end(), [&](const Keyed &a, const Keyed &b) {
    return isReverse ? isLess(call.context, b.first, a.first)
                     : isLess(call.context, a.first, b.first);
  });
}

static std::vector<Value> elementsIn(const std::vector<Keyed> &all) {
  std::vector<Value> elements;
  for (const auto &[key, element] : all)
    elements.push_back(element);
  return elements;
}

static Value sort(const FilterCall &call) {
  Parameters given(call.name, call.arguments,
                   {"reverse", "case_sensitive", "attribute"});
  Key key(call.context, nullptr, given.flag(1));
  std::vector<Value> paths;
  if (const Value *attribute = given.find(2); !attribute) {
    paths.push_back(Value::none());
  } else if (!attribute->isText()) {
    paths.push_back(*attribute);
  } else { // "a,b" sorts by both
    for (std::string_view path :
         splitAt(attribute->text(), ",", kMostElements, false))
      paths.emplace_back(std::string(path));
  }
  // Lists compare elements that are equal, whether they have an order or not.
  std::vector<Keyed> all;
  for (const Value &element : elementsOf(call.context, call.operand)) {
    ListBuilder keys(call.context);
    for (const Value &path : paths)
      keys.add(key.lowered(path.isNone()
                               ? element
                               : attributeByPath(call.context, element, path)));
    all.emplace_back(keys.takeList(), element);
  }
  sortByKey(call, all, given.flag(0));
  return Value::list(elementsIn(all));
}

static Value sortObject(const FilterCall &call) {
  Parameters given(call.name, call.arguments,
                   {"case_sensitive", "by", "reverse"});
  std::string by = given.text(1, "key");
  if (by != "key" && by != "value")
    throw Refusal{"'dictsort' sorts by key or value, found '" + by + "'"};
  if (!call.operand.isDictionary())
    throw Refusal{"'dictsort' takes an object, found " +
                  describe(call.operand)};
  Key key(call.context, nullptr, given.flag(0));
  std::vector<Keyed> all;
  for (const auto &[name, value] : call.operand.dictionary().entries)
    all.emplace_back(key.lowered(by == "key" ? name : value),
                     Value::tuple({name, value}));
  call.context.addWork(all.size() * sizeof(Keyed));
  sortByKey(call, all, given.flag(2));
  return Value::list(elementsIn(all));
}

static Value unique(const FilterCall &call) {
  Parameters given(call.name, call.arguments, {"case_sensitive", "attribute"});
  Key key(call.context, given.find(1), given.flag(0));
  std::set<std::string> seen;
  std::vector<Value> kept;
  for (const auto &[one, element] : keyed(call, key)) {
    std::string hash = hashText(call.context, one);
    call.context.addWork(hash.size());
    if (seen.insert(hash).second)
      kept.push_back(element);
  }
  return Value::iterator(std::move(kept));
}

static Value extreme(const FilterCall &call) {
  Parameters given(call.name, call.arguments, {"case_sensitive", "attribute"});
  Key key(call.context, given.find(1), given.flag(0));
  std::vector<Keyed> all = keyed(call, key);
  if (all.empty())
    return Value();
  const Keyed *best = &all[0];
  for (size_t i = 1; i < all.size(); ++i)
    if (call.name == "min" ? isLess(call.context, all[i].first, best->first)
                           : isLess(call.context, best->first, all[i].first))
      best = &all[i];
  return best->second;
}

static Value groupBy(const FilterCall &call) {
  Parameters given(call.name, call.arguments,
                   {"attribute", "default", "case_sensitive"}, 1);
  Key key(call.context, given.find(0), given.flag(2));
  Key exact(call.context, given.find(0), true);
  if (given.find(1) && !given.at(1).isNone())
    key.fallback = exact.fallback = given.find(1);
  std::vector<Keyed> all = keyed(call, key);
  sortByKey(call, all, false);
  ListBuilder groups(call.context);
  for (size_t begin = 0; begin < all.size();) {
    ListBuilder group(call.context);
    size_t end = begin;
    for (; end < all.size() &&
           areEqual(call.context, all[begin].first, all[end].first);
         ++end)
      group.add(all[end].second);
    // One that differs from itself, as NaN does, is a group alone.
    end += end == begin;
    // Its name is as the first one writes it.
    groups.add(Value(Sequence{
        Sequence::Group, {exact.of(all[begin].second), group.takeList()}}));
    begin = end;
  }
  return groups.takeList();
}

const FilterTable &jinja::orderFilters() {
  static const FilterTable table = {
      {"dictsort", sortObject}, {"groupby", groupBy}, {"max", extreme},
      {"min", extreme},         {"sort", sort},       {"unique", unique}};
  return table;
}
