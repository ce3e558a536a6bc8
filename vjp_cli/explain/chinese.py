"""The sentences of an explanation in Chinese; ``english.py`` has the same keys and placeholders."""

TEXTS = {
    "title": "说明",
    "cost": "代价",
    # how much there is of something
    "number": "一个数",
    "one": "1 个元素",
    "many": "{count} 个元素",
    "shaped": "{count} 个元素（形状 {shape}）",
    "numbers_one": "1 个数",
    "numbers_many": "{count} 个数",
    "several": "{name} 有 {size}",
    "and": "，",
    # J
    "jacobian": "{y} 有 {m_words}，{x} 有 {n_words}，所以共有 {m}·{n} = {count} 个偏导数"
    " ∂{y}_i/∂{x}_j，组成雅可比矩阵 J：第 i 行说明 {y}[i] 怎样随 {x} 的每个元素变化。",
    "jacobians": "{y} 有 {m_words}，依赖多个输入：{inputs}。所以共有 {m}·{n} = {count} 个偏导数，"
    "每个输入有一个雅可比矩阵 J：第 i 行说明 {y}[i] 怎样随每个元素变化。",
    "gradient": "{y} 是一个数，{x} 有 {n_words}，所以 J 只有一行，共 {n} 个偏导数 ∂{y}/∂{x}_j，也"
    "就是 {y} 的梯度。",
    "derivative": "{y} 是一个数，{x} 也是一个数：J 就是唯一的导数 ∂{y}/∂{x}。",
    "empty": "{y} 有 {m_words}，{x} 有 {n_words}，没有任何偏导数：J 是空的。",
    "row": "第 0 行是 ({row})。",
    "hessian": "{y} 本身已是输出的梯度，它的雅可比矩阵 J 就是海森矩阵（Hessian），由二阶导数组"
    "成：第 i 行说明 {y}[i] 怎样随 {x} 的每个元素变化。",
    "transposed": "分母布局显示的是它的转置 Jᵀ，数值相同。",
    "complex": "对复数，torch 约定给出导数的共轭。",
    # v
    "v": "余切向量 v（上游梯度）给 {y} 的每个元素一个权重，所以与 {y} 形状相同：{v}。后面还有损失"
    "时，v_i 就是 ∂loss/∂{y}_i；否则它表示 {y}[i] 占多大比重。",
    "v_number": "余切向量 v（上游梯度）给 {y} 的每个元素一个权重：{y} 是一个数，所以 v 也是一个"
    "数，这里是 {v}。不写 v 时，backward() 取 1。",
    "no_v": "没有给出 v，所以 torch 拒绝执行 {y}.backward()：'grad can be implicitly created only"
    " for scalar outputs'（只有标量输出才能省略 v）。{x}.grad 只放得下 {n} 个数，而 J 有 {m} 行这"
    "样的数，必须用权重说明各行怎样相加：--v ones 把各行全部相加（即 {y}.sum() 的梯度），--v e0 "
    "只取第 0 行。",
    # vᵀJ
    "product": "{y}.backward(v) 把 J 的各行乘以各自的权重再相加：{grad} = Σ_i v_i·∂{y}_i/∂{x_j}，"
    "即向量-雅可比积（VJP）vᵀJ。{example}",
    "product_number": "{y}.backward(v) 计算 {grad} = v·∂{y}/∂{x_j}，即向量-雅可比积（VJP）vᵀJ。"
    "{example}",
    "example": "例如 {entry} = {terms} = {value}。",
    "example_rest": "例如 {entry} = {terms} + 其余 {rest} 项 = {value}。",
    "example_zeros": "例如 {entry} = {terms} = {value}（其余 {rest} 项都是 0）。",
    "example_value": "例如 {entry} = {value}。",
    "example_none": "这里 torch 没有给出数值。",
    # what it costs
    "passes": "为此不需要 J：从 {y} 到 {x} 做一次反向传播，就得到整个 vᵀJ。J 需要 {m} 次反向传播"
    "（每行一次）和 {bytes}；输入和输出各一百万个元素时要 {huge}。",
    "pass": "无论 {x} 有多少个元素，一次反向传播就得到全部结果：{y} 是一个数，J 只有一行。这就是"
    "训练时需要标量损失的原因。",
    # the verdicts
    "all_ok": "torch 的数值都等于精确导数，误差只来自它自身的舍入（{count}）。",
    "ok": "其余数值都等于精确导数，误差只来自舍入（{count}）。",
    "wrong": "torch 给出的数不是导数，舍入误差解释不了这个差别（{count}）。",
    "nan": "torch 给出 NaN（不是数），但导数或单侧斜率是存在的（{count}）。",
    "saturated": "torch 给出 0 或无穷大，而导数其实是普通的数：中间某一步上溢、下溢或被舍去了"
    "（{count}）。",
    "missing": "导数存在，但 torch 没有给出数值（{count}）。",
    "imprecise": "torch 给出的数除舍入误差外是对的，但丢失的有效数字比通常多（{count}）。",
    "unchecked": "vjp 无法求出精确值，所以 torch 给出的数既未被证实，也未被否定（{count}）。",
    "undefined": "函数在这里没有斜率，所以任何数都谈不上对错（{count}）。",
    "kink": "函数在这里有一个折点（不可导）：左右两侧的斜率不同，torch 给出的数在两者之间，是合理"
    "的答案（{count}）。",
    "pole": "导数在这里是无穷大，torch 也这样说（{count}）。",
    "by-design": "程序有意偏离了它的数学含义，例如使用了 detach（{count}）；是否符合本意，由你判"
    "断。",
    "check": "这个判定来自检查项 '{name}'，原因见上面的那一行。",
    "nothing": "没有任何数能与精确导数比较；原因见上面的检查项。",
    "finding": "{entry}：{torch}，{truth}。",
    "finding_torch": "{entry}：{torch}。",
    "torch_has": "torch 给出 {number}",
    "torch_none": "torch 没有给出数值",
    "truth_is": "真值是 {number}",
    "no_slope": "不存在的",
    "slopes_are": "左侧斜率是 {left}，右侧斜率是 {right}",
}
