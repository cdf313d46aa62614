import sys, heddle
model = heddle.compile(sys.argv[1])
tokenizer = heddle.Tokenizer(sys.argv[1])
for piece in model.generate("3rd of March, 2021\n", tokenizer=tokenizer):
    print(piece, end="")
